// Calibration from the samples of cards.
#include "harness/calibration/calibrate.hpp"
#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;
using tests::StandIn;

/// The series that a stand-in card of a generation gives for blocks of some sizes.
std::vector<RecordedSeries> residence_of(int sm) {
    const StandIn driver{"target " + std::to_string(sm)};
    const auto device = open_device("cuda:0");
    EXPECT_TRUE(device) << to_string(device.error());
    Protocol protocol;
    protocol.warm_up = 0;
    std::vector<RecordedSeries> all;
    const auto points = points_for(*device.value(), "resident-warps");
    EXPECT_TRUE(points) << to_string(points.error());
    for (const auto& point : points.value()) {
        const auto warps = axis_value(point.axes, "warps", 0);
        if (warps != 1 && warps != 3 && warps != 7) continue;
        const auto measured = measure_point(*device.value(), point, protocol, nullptr);
        EXPECT_TRUE(measured) << to_string(measured.error());
        all.push_back(
            {series_key(point, device.value()->identity(), protocol), measured.value().samples});
    }
    return all;
}

// The PTX of sm_86 is that of sm_80, and that of sm_120 that of sm_90.
TEST(CardCalibration, IsOfTheTargetThatTheCardHas) {
    for (const int sm : {80, 86, 120}) {
        const auto series = residence_of(sm);
        const auto target = target_of(series);
        ASSERT_TRUE(target) << to_string(target.error());
        EXPECT_EQ(target.value(), assembly::Target{sm});
        const auto measurements = Measurements::of(series, target.value());
        ASSERT_TRUE(measurements) << to_string(measurements.error());
        const auto calibration = calibrate(measurements.value());
        ASSERT_TRUE(calibration) << to_string(calibration.error());
        EXPECT_EQ(calibration.value().target, assembly::Target{sm});
    }
}

// Otherwise listings would be assumed to have hardware interlocks, as only hardware before sm_30
// has.
TEST(CardCalibration, DescribesAMachineWhoseEncodingTimesTheIssue) {
    const auto calibration = calibrate(Measurements::of(residence_of(86), {86}).value());
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto machine =
        describe(calibration.value(), {"card", "a card", "limits.db", std::nullopt});
    ASSERT_TRUE(machine) << to_string(machine.error());
    EXPECT_EQ(machine.value().target, assembly::Target{86});
    const auto* blocks = machine.value().limits.find("max-blocks");
    ASSERT_NE(blocks, nullptr);
    EXPECT_EQ(blocks->interval->lo, 16);
    EXPECT_EQ(blocks->reason,
              "taken with 24 registers of a thread, which are assumed not to limit");
    EXPECT_EQ(static_cast<int>(machine.value().issue_control),
              static_cast<int>(models::IssueControl::Encoded));
}

TEST(CardCalibration, RefusesADescriptionOfAnotherTargetOfTheSamePtx) {
    const auto series = residence_of(86);
    const auto other = Measurements::of(series, {80});
    ASSERT_FALSE(other);
    EXPECT_THAT(to_string(other.error()), HasSubstr("was recorded on a card of sm_86; expected "
                                                    "sm_80"));
}

TEST(CardCalibration, RefusesACardOfUnknownTarget) {
    auto series = residence_of(80);
    for (const char* detail : {"", "Stand-in", "Stand-in, sm_x, CUDA driver 13.0"}) {
        for (auto& one : series)
            one.key.device_detail = detail;
        const auto target = target_of(series);
        ASSERT_FALSE(target) << detail;
        EXPECT_THAT(to_string(target.error()), HasSubstr("names no card and its target"));
    }
}

} // namespace
} // namespace warpbound::harness

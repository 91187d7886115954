// Refusals of calibration, and values that it leaves unknown with the reason.
#include "models/architecture/value_path.hpp"
#include "tests/unit/harness/calibration/calibrated_card.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace warpbound::harness {
namespace {

TEST(Calibrate, NamesWhatWasNotMeasuredAndLeavesItUnknown) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration);
    const auto& missing = calibration.value().unidentified;
    EXPECT_TRUE(std::any_of(missing.begin(), missing.end(), [](const Unidentified& one) {
        return one.path == "write-buffer/entries" && !one.why.empty();
    }));
    const auto machine = describe(calibration.value(), {"card", "a card", "c.db", std::nullopt});
    ASSERT_TRUE(machine) << to_string(machine.error());
    const auto* entries = machine.value().write_buffer.find("entries");
    ASSERT_NE(entries, nullptr);
    EXPECT_FALSE(entries->interval);
}

TEST(Calibrate, RefusesTwoBenchmarksThatContradictEachOther) {
    auto series = measured(some);
    for (auto& one : series)
        if (one.key.name.substr(0, 13) == "dependent-add") {
            const std::int64_t n = std::stoll(one.key.name.substr(16));
            for (auto& sample : one.samples)
                sample.times.front() += n; // Each instruction of the chain takes a cycle longer.
        }
    const auto calibration = calibrated(std::move(series));
    ASSERT_FALSE(calibration);
    EXPECT_EQ(calibration.error().where, "classes/float-add/latency");
    EXPECT_NE(calibration.error().what.find("18 by result-float-add"), std::string::npos);
    EXPECT_NE(calibration.error().what.find("19 by dependent-add"), std::string::npos);
}

TEST(Calibrate, ReadsNothingWhereTheTimesAreNotLinear) {
    auto series = measured(some);
    for (auto& one : series)
        if (one.key.name == "switched-off/n=16")
            for (auto& sample : one.samples)
                sample.times.front() += 1;
    const auto calibration = calibrated(std::move(series));
    ASSERT_TRUE(calibration);
    EXPECT_TRUE(calibration.value().findings.empty());
    const auto* step = reason(calibration.value(), "schedulers/same-warp-interval");
    ASSERT_NE(step, nullptr);
    EXPECT_NE(step->why.find("are not linear in n"), std::string::npos);
}

TEST(Calibrate, RefusesSeriesOfAnotherKernelOrOfTwoMachines) {
    auto other_kernel = measured({"switched-off"});
    other_kernel.front().key.kernel_digest = "sha256:0";
    EXPECT_FALSE(Measurements::of(other_kernel, {20}));
    auto two = measured({"switched-off"});
    two.back().key.device_detail = "another";
    EXPECT_FALSE(Measurements::of(two, {20}));
    EXPECT_FALSE(Measurements::of({}, {20}));
}

TEST(Calibrate, RefusesRunsThatNoLaunchGives) {
    const auto series = measured({"start-order", "barrier"}, 3);
    const auto clocks_at = static_cast<std::size_t>(
        std::find_if(series.begin(), series.end(),
                     [](const auto& one) { return one.key.name == "start-order/warps=32"; }) -
        series.begin());
    const std::size_t barrier_at = 1 - clocks_at;
    ASSERT_EQ(series.size(), 2U);
    using Times = std::vector<std::int64_t>;
    const auto refusal = [&](std::size_t at, const std::function<void(Times&)>& damage) {
        auto damaged = series;
        damage(damaged[at].samples.back().times);
        const auto measurements = Measurements::of(damaged, {20});
        return measurements ? std::string{} : to_string(measurements.error());
    };
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.clear(); }),
              "barrier: run 2 has 0 times; expected 1");
    EXPECT_EQ(refusal(clocks_at, [](Times& times) { times.pop_back(); }),
              "start-order/warps=32: run 2 has 63 times; expected 64");
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.push_back(1); }),
              "barrier: run 2 has 2 times; expected 1");
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.front() = -1; }),
              "barrier: run 2 has a time of -1; expected 0 to 1000000000");
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.front() = 1'000'000'001; }),
              "barrier: run 2 has a time of 1000000001; expected 0 to 1000000000");
    EXPECT_EQ(refusal(clocks_at,
                      [](Times& times) {
                          for (auto& time : times)
                              ++time;
                      }),
              "start-order/warps=32: run 2 has no clock 0; expected clocks since the earliest");
    // If only last clocks were 0, no warp would be the first.
    EXPECT_EQ(refusal(clocks_at,
                      [](Times& times) {
                          for (std::size_t i = 0; i < times.size(); i += 2) {
                              times[i] = 5;
                              times[i + 1] = 0;
                          }
                      }),
              "start-order/warps=32: run 2 has the clocks 5 and 0 of one warp; expected the first "
              "one to be no later");
}

// At least one block is resident on an SM, and no launch has more blocks per SM than were launched.
TEST(Calibrate, RefusesCountsOfBlocksThatNoLaunchGives) {
    auto machine = fermi();
    for (const char* path : {"blocks/start", "blocks/replacement"})
        ASSERT_TRUE(models::override_value(machine, path, 0));
    auto series = measured_on(machine, {"resident-warps/warps=32"}, 2, "lrr");
    ASSERT_EQ(series.size(), 1U);
    auto& count = series.front().samples.front().times.front();
    const auto refusal = [&](std::int64_t blocks) {
        count = blocks;
        const auto measurements = Measurements::of(series, {20});
        return measurements ? std::string{} : to_string(measurements.error());
    };
    const std::string point = "resident-warps/warps=32/blocks=66: run 0 has ";
    EXPECT_EQ(refusal(0), point + "0 blocks on an SM; expected 1 to 66");
    EXPECT_EQ(refusal(67), point + "67 blocks on an SM; expected 1 to 66");
    EXPECT_EQ(refusal(1), "");
    EXPECT_EQ(refusal(66), "");
}

TEST(Calibrate, RefusesTwoSeriesOfOnePoint) {
    auto series = measured({"barrier"}, 20);
    series.push_back(series.front());
    const auto measurements = Measurements::of(series, {20});
    ASSERT_FALSE(measurements);
    EXPECT_EQ(to_string(measurements.error()),
              "barrier: there are two series of this point; expected one");
}

// Only occupancy limits are read for such targets, and these series have none.
TEST(Calibrate, ReadsNoTimesWhereTheEncodingTimesTheIssue) {
    const auto series = measured({"barrier"}, 20);
    const auto encoded = Measurements::of(series, {70});
    ASSERT_FALSE(encoded);
    EXPECT_NE(encoded.error().what.find("no series that calibrates sm_70"), std::string::npos);
    EXPECT_NE(encoded.error().what.find("where the encoding times the issue"), std::string::npos);
    EXPECT_EQ(target_of(series).value(), assembly::Target{20});
    auto others = series;
    others.front().key.kernel_digest = "sha256:0";
    const auto none = target_of(others);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().what.find("on machines of sm_20 and sm_21"), std::string::npos);
}

// With a single run every value is constant.
TEST(Calibrate, ReadsNothingOffFewRuns) {
    const auto few = calibrated(measured(some, 1));
    ASSERT_TRUE(few) << to_string(few.error());
    EXPECT_TRUE(few.value().findings.empty());
    EXPECT_TRUE(few.value().scopes.empty());
    EXPECT_FALSE(few.value().policy);
    const auto enough = calibrated(measured(some, enough_runs));
    ASSERT_TRUE(enough);
    const auto* barrier = finding(enough.value(), "classes/barrier/latency");
    ASSERT_NE(barrier, nullptr);
    EXPECT_EQ(static_cast<int>(barrier->sharpness), static_cast<int>(Sharpness::Range));
    auto mixed = measured(some, enough_runs);
    for (auto& one : mixed)
        if (one.key.name == "barrier") one.samples.pop_back();
    const auto without = calibrated(mixed);
    ASSERT_TRUE(without);
    EXPECT_EQ(finding(without.value(), "classes/barrier/latency"), nullptr);
    ASSERT_NE(reason(without.value(), "classes/barrier/latency"), nullptr);
    EXPECT_EQ(reason(without.value(), "classes/barrier/latency")->why,
              "barrier has 19 runs; 20 are needed");
}

} // namespace
} // namespace warpbound::harness

#include "harness/protocol/copy_line.hpp"
#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using tests::StandIn;

Protocol protocol_of(std::int64_t repetitions) {
    Protocol protocol;
    protocol.warm_up = 0;
    protocol.repetitions = repetitions;
    return protocol;
}

// The stand-in's clock has 1 GHz; its copies take 8 us plus 1 ns per 10 bytes.
TEST(CardCopies, TakeTheTimeBetweenTheEvents) {
    const StandIn driver;
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device);
    for (const char* benchmark : {"copy-to-device", "copy-from-device"}) {
        std::vector<CopyTime> times;
        const auto points = points_for(*device.value(), benchmark);
        ASSERT_TRUE(points) << to_string(points.error());
        for (const auto& point : points.value()) {
            const auto measured = measure_point(*device.value(), point, protocol_of(2), nullptr);
            ASSERT_TRUE(measured) << to_string(measured.error());
            const auto& time = measured.value().samples.front().times;
            ASSERT_EQ(time.size(), 1U);
            const double expected = 8000.0 + static_cast<double>(point.copy->bytes) / 10.0;
            EXPECT_NEAR(static_cast<double>(time.front()), expected, 2.0 + 1e-6 * expected);
            times.push_back({point.copy->bytes, static_cast<double>(time.front())});
        }
        const auto line = line_of_copies(times);
        ASSERT_TRUE(line);
        EXPECT_NEAR(line.value().start, 8000, 2);
        EXPECT_NEAR(line.value().bandwidth, 10, 0.01);
    }
}

TEST(CardCopies, AreRecordedWithWhatHappensToThem) {
    struct Row {
        const char* script;
        RunAnomaly anomaly;
        const char* text;
        bool loses;
    };
    for (const auto& [script, anomaly, text, loses] :
         {Row{"time-out-at 2", RunAnomaly::TimeOut, "a copy did not end within 50 ms", true},
          Row{"illegal-address-at 2", RunAnomaly::LaunchFailure,
              "the copy failed: CUDA_ERROR_ILLEGAL", true},
          Row{"lost-at 2", RunAnomaly::DeviceLost, "cuMemcpyHtoDAsync_v2 failed", true},
          Row{"refused-at 2", RunAnomaly::LaunchFailure, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
              false},
          Row{"no-rate-at 2", RunAnomaly::Clock, "did not advance", false},
          Row{"slow-from 2 900", RunAnomaly::Throttled, "clock rate 900.0 MHz", false}}) {
        const StandIn driver{script};
        const auto device = open_device("cuda:0");
        ASSERT_TRUE(device);
        const auto point = points_for(*device.value(), "copy-to-device").value()[3];
        const auto campaign = Campaign::open(driver.folder() / "c.db");
        const auto measured =
            measure_point(*device.value(), point, protocol_of(4), campaign.value().get());
        EXPECT_EQ(measured.has_value(), !loses) << script;
        const auto series = campaign.value()->list().value().front();
        const auto samples = campaign.value()->samples(series.id).value();
        ASSERT_GE(samples.size(), 2U) << script;
        EXPECT_EQ(samples[0].remark.anomaly, RunAnomaly::None) << script;
        EXPECT_EQ(samples[1].remark.anomaly, anomaly) << script;
        EXPECT_THAT(samples[1].remark.text, HasSubstr(text)) << script;
        EXPECT_EQ(samples[1].times.empty(), !gives_times(anomaly)) << script;
        const auto noted = campaign.value()->conditions(series.id).value().front().conditions;
        EXPECT_THAT(noted, Contains(Pair("host-memory", "page-locked")));
    }
}

TEST(CardCopies, AreRefusedWithoutMemoryForThem) {
    for (const int allocation : {2, 3}) { // The first allocation is for the clock rate.
        const StandIn driver{"out-of-memory-at " + std::to_string(allocation)};
        const auto device = open_device("cuda:0");
        ASSERT_TRUE(device);
        const auto point = points_for(*device.value(), "copy-to-device").value().front();
        EXPECT_THAT(to_string(PointRun::prepare(*device.value(), point).error()),
                    HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"))
            << allocation;
    }
}

} // namespace
} // namespace warpbound::harness

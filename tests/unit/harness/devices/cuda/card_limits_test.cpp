#include "harness/suite/launch_limits.hpp"
#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;
using tests::StandIn;

Result<std::vector<LaunchLimit>> limits_of_card() {
    const auto device = open_device("cuda:0");
    if (!device) return device.as_failure();
    return find_launch_limits(*device.value());
}

std::vector<std::int64_t> numbers(const std::vector<LaunchLimit>& limits) {
    std::vector<std::int64_t> all;
    for (const auto& limit : limits)
        all.push_back(limit.largest);
    return all;
}

// The stand-in's blocks have at most 1024 threads and 98304 bytes, its threads 255 registers; the
// number of blocks is unlimited.
const std::vector<std::int64_t> of_stand_in{1024, std::int64_t{1} << 20U, 255, 98304};

TEST(CardLimits, AreFoundByRunning) {
    const StandIn driver;
    const auto limits = limits_of_card();
    ASSERT_TRUE(limits) << to_string(limits.error());
    EXPECT_EQ(numbers(limits.value()), of_stand_in);
    EXPECT_EQ(limits.value()[2].axis, "registers");
    EXPECT_THAT(limits.value()[2].refusal,
                HasSubstr("took 255 registers of a thread, and 256 were asked for"));
}

TEST(CardLimits, AreNotReportedIfTheDeviceWasLost) {
    struct Row {
        const char* script;
        const char* text;
    };
    for (const auto& [script, text] :
         {Row{"time-out-at 5", "limit of threads: now one warp is refused too: the device is lost: "
                               "a launch did not end within 50 ms"},
          Row{"illegal-address-at 30", "CUDA_ERROR_ILLEGAL_ADDRESS"},
          Row{"lost-at 1", "limit of threads: now one warp is refused too"}}) {
        const StandIn driver{script};
        const auto limits = limits_of_card();
        ASSERT_FALSE(limits) << script;
        EXPECT_THAT(to_string(limits.error()), HasSubstr("cuda:0: limit of ")) << script;
        EXPECT_THAT(to_string(limits.error()), HasSubstr(text)) << script;
    }
}

TEST(CardLimits, CountALaunchWithAWrongClockAsOneThatRan) {
    for (const char* script : {"clock-jump-at 6", "clock-back-at 6"}) {
        const StandIn driver{script};
        const auto limits = limits_of_card();
        ASSERT_TRUE(limits) << to_string(limits.error());
        EXPECT_EQ(numbers(limits.value()), of_stand_in) << script;
    }
}

} // namespace
} // namespace warpbound::harness

#include "harness/devices/simulated.hpp"
#include "harness/suite/launch_limits.hpp"
#include "models/architecture/value_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

std::vector<LaunchLimit> limits_of(const models::Architecture& machine) {
    return find_launch_limits(*simulated_device(machine, {}, 1)).value();
}

const LaunchLimit& along(const std::vector<LaunchLimit>& limits, const std::string& axis) {
    return *std::find_if(limits.begin(), limits.end(),
                         [&](const auto& limit) { return limit.axis == axis; });
}

// The limits of the description, found without reading it, for any values in it.
TEST(LaunchLimits, AreTheLargestLaunchesThatTheDeviceAccepts) {
    models::Architecture machine = models::load_architecture("fermi-gtx470").value();
    for (const auto& [registers, shared] :
         {std::pair{63, 49152}, std::pair{64, 32768}, std::pair{100, 5000}}) {
        ASSERT_TRUE(models::override_value(machine, "limits/registers-per-thread", registers));
        ASSERT_TRUE(models::override_value(machine, "limits/shared-memory-per-block", shared));
        const auto limits = limits_of(machine);
        EXPECT_EQ(along(limits, "registers").largest, registers);
        EXPECT_EQ(along(limits, "shared-memory").largest, shared);
        EXPECT_THAT(along(limits, "shared-memory").refusal, HasSubstr("shared"));
        // Doubling, then halving.
        EXPECT_LE(along(limits, "shared-memory").tried, 42);
    }
}

TEST(LaunchLimits, ReportWhereNothingLargerWasTried) {
    const auto limits = limits_of(models::load_architecture("fermi-gtx470").value());
    ASSERT_EQ(limits.size(), 4U);
    for (const auto& limit : limits) {
        EXPECT_GT(limit.largest, 0) << limit.axis;
        EXPECT_LE(limit.tried, 64) << limit.axis;
    }
}

} // namespace
} // namespace warpbound::harness

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/sm/issue_times.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace warpbound::harness::simulator::test {
namespace {

TEST(IssueTimes, NoWarpIsReadyAtFirst) {
    const IssueTimes times{3};
    EXPECT_EQ(times.ready_at(2), never);
    EXPECT_EQ(times.earliest(2), never);
}

TEST(IssueTimes, FollowTheResourcesThatTheWarpNeeds) {
    std::int64_t port = 0;
    std::int64_t buffer = 0;
    IssueTimes times{2};
    times.set_ready_at(0, 10);
    times.set_gates(0, {&port, nullptr, &buffer});
    times.set_ready_at(1, 12);
    times.set_gates(1, {});
    EXPECT_EQ(times.earliest(0), 10);
    port = 15;
    EXPECT_EQ(times.earliest(0), 15);
    buffer = never;
    EXPECT_EQ(times.earliest(0), never);
    EXPECT_EQ(times.ready_at(0), 10);
    EXPECT_EQ(times.earliest(1), 12);
}

TEST(IssueTimes, ForgetTheNeedsOfTheInstructionBefore) {
    std::int64_t port = 50;
    IssueTimes times{1};
    times.set_ready_at(0, 10);
    times.set_gates(0, {&port});
    times.set_ready_at(0, 20);
    times.set_gates(0, {});
    EXPECT_EQ(times.earliest(0), 20);
}

} // namespace
} // namespace warpbound::harness::simulator::test

#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::analyzer {
namespace {

/// Fermi: two schedulers, an issue slot of 2 cycles, 6 cycles between issues of a warp, results of
/// moves 18 cycles after their issue.
std::int64_t upper(const std::string& body, models::Launch launch, std::int64_t active,
                   models::FlowFacts facts = {}) {
    auto context = analyzed(body, std::move(facts));
    context->request.launch = launch;
    context->request.policy =
        models::read_policy("two-level:active=" + std::to_string(active)).value();
    return envelope(*context).upper.proved.count();
}

const std::string dependent = "MOV R1, R2; MOV R3, R1; EXIT;";

// The first warp issues at 0, 18 and 24, the second one, which stands outside up to then, at 26, 44
// and 50: its last result is there at 62. Both could issue together.
TEST(ActiveSet, KeepsAWarpOutsideWhileAnotherWaitsInside) {
    EXPECT_EQ(upper(dependent, {1, 128}, 1), 62);
    EXPECT_LT(upper(dependent, {1, 128}, 2), 62);
}

// A warp waits for 16 cycles more than a slot, then for 4; as many as fit wait at a time.
TEST(ActiveSet, IsWaitedForByAsManyAsItHolds) {
    constexpr std::int64_t waits = 16 + 4;
    const std::int64_t all_fit = upper(dependent, {1, 512}, 8);
    EXPECT_EQ(upper(dependent, {1, 512}, 1), all_fit + 7 * waits);
    EXPECT_EQ(upper(dependent, {1, 512}, 2), all_fit + 4 * waits);
    EXPECT_EQ(upper(dependent, {1, 512}, 7), all_fit + waits);
}

// What the first move began is over when the second one has waited for it.
TEST(ActiveSet, IsNotWaitedInTwiceForOneResult) {
    const std::string again = "MOV R1, R2; MOV R3, R1; MOV R4, R1; EXIT;";
    constexpr std::int64_t waits = 16 + 4 + 4;
    EXPECT_EQ(upper(again, {1, 128}, 1), upper(again, {1, 128}, 2) + waits);
}

// Who waits for a load stands outside, so others wait for the gaps alone.
TEST(ActiveSet, IsLeftByWhoWaitsForALoad) {
    models::FlowFacts facts;
    facts.memory.push_back(
        {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    const std::string load = "LD R1, [R2]; MOV R3, R1; EXIT;";
    constexpr std::int64_t gaps = 4 + 4;
    EXPECT_EQ(upper(load, {1, 128}, 1, facts), upper(load, {1, 128}, 2, facts) + gaps);
}

// The second load waits for the first one's result, hence longer than that one is on the port.
TEST(ActiveSet, IsNotWaitedInForAPortThatTheAwaitedLoadHasLeft) {
    models::FlowFacts facts;
    for (const std::int64_t at : {0, 8})
        facts.memory.push_back(
            {at, models::CountRange{4, 4}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    constexpr std::int64_t gaps = 4 + 4;
    const std::string waits = "LD R1, [R2]; LD R3, [R1]; EXIT;";
    EXPECT_EQ(upper(waits, {1, 128}, 1, facts), upper(waits, {1, 128}, 2, facts) + gaps);
    const std::string goes_on = "LD R1, [R2]; LD R3, [R4]; EXIT;";
    constexpr std::int64_t port = 4 * 34 - 2;
    EXPECT_EQ(upper(goes_on, {1, 128}, 1, facts), upper(goes_on, {1, 128}, 2, facts) + port + 4);
}

// A barrier opens when the slot of its last arrival runs, whoever waited for it.
TEST(ActiveSet, IsWaitedInForTheWholeLatencyOfABarrier) {
    const std::string meeting = "BAR.SYNC 0x0; MOV R1, R2; EXIT;";
    constexpr std::int64_t latency = 60;
    constexpr std::int64_t gap = 4;
    EXPECT_EQ(upper(meeting, {1, 128}, 1), upper(meeting, {1, 128}, 2) + latency + gap);
}

// Another one in the set may wait for a port that the warp which stands outside still holds.
TEST(ActiveSet, IsWaitedInForPortsOfWhoStandsOutside) {
    const std::string special = "MUFU.RCP R1, R2; EXIT;";
    constexpr std::int64_t gap = 4;
    constexpr std::int64_t held = 6 - 2;
    EXPECT_EQ(upper(special, {1, 128}, 1), upper(special, {1, 128}, 2) + gap + held);
}

} // namespace
} // namespace warpbound::analyzer

#include "models/formulas/mwp_cwp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::mwp_cwp {
namespace {

using testing::HasSubstr;

constexpr Machine machine{.memory_latency = 400,
                          .departure_coalesced = 4,
                          .departure_uncoalesced = 10,
                          .issue_cycles = 4,
                          .clock = 1e9,
                          .bandwidth = 100e9};
constexpr Residency full{.blocks = 160, .blocks_per_sm = 4, .multiprocessors = 10, .warps = 32};

// Mem_L = 400 + 31 * 10 = 710, Departure_delay = 320, MWP_full = 2.21875; bandwidth of a warp
// 128 / 710 GB/s, MWP_peak = 100 / (10 * 0.18028) = 55.47. Comp = 4 * 100 = 400, Mem = 7100, CWP =
// 18.75. Case 2: 7100 * 32 / 2.21875 + 40 * 1.21875 = 102400 + 48.75, in 4 rounds.
TEST(MwpCwp, IsMemoryBoundWithUncoalescedAccesses) {
    const Kernel kernel{
        .instructions = 100, .uncoalesced = 10, .transactions = 32, .bytes_per_load = 128};
    const auto found = kernel_time(kernel, machine, full);
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(to_string(found.value().which), "memory bound");
    EXPECT_DOUBLE_EQ(found.value().overlap.value().mwp, 2.21875);
    EXPECT_DOUBLE_EQ(found.value().overlap.value().cwp, 18.75);
    EXPECT_EQ(found.value().repetitions, 4);
    EXPECT_DOUBLE_EQ(found.value().time.value(), 4 * 102448.75);
}

// Two accesses and 200 instructions: Comp = 800, Mem = 800, so CWP = 2; MWP = min(100, 312.5 with
// 12.8 bytes, 32). Case 3: 400 + 800 * 32, and per synchronisation 4 * 31 * 4, in 4 rounds.
TEST(MwpCwp, IsComputeBoundWithFewAccesses) {
    const Kernel kernel{
        .instructions = 200, .coalesced = 2, .bytes_per_load = 12.8, .synchronisations = 3};
    const auto found = kernel_time(kernel, machine, full).value();
    EXPECT_EQ(to_string(found.which), "compute bound");
    EXPECT_DOUBLE_EQ(found.synchronisation, 4 * 31 * 3 * 4 * 4);
    EXPECT_DOUBLE_EQ(found.time.value(), 4 * 26000 + 5952);
}

TEST(MwpCwp, TakesOnlyComputationWithoutMemoryInstructions) {
    const auto found = kernel_time({.instructions = 100}, {.issue_cycles = 4}, full).value();
    EXPECT_EQ(to_string(found.which), "no memory instructions");
    EXPECT_FALSE(found.overlap.has_value());
    EXPECT_EQ(found.time.value(), 400 * 32 * 4);
}

TEST(MwpCwp, RefusesWhatItCannotComputeWith) {
    const Kernel kernel{.instructions = 10, .coalesced = 1, .bytes_per_load = 128};
    const auto refused = [](const Kernel& k, const Machine& m, const Residency& r) {
        return kernel_time(k, m, r).error().what;
    };
    EXPECT_THAT(refused({}, machine, full), HasSubstr("instructions is 0"));
    EXPECT_THAT(refused({.instructions = 1, .coalesced = 2}, machine, full),
                HasSubstr("more memory instructions"));
    EXPECT_THAT(refused(kernel, {.issue_cycles = 1}, full), HasSubstr("memory latency is 0"));
    Machine no_delay = machine;
    no_delay.departure_coalesced = 0;
    EXPECT_THAT(refused(kernel, no_delay, full), HasSubstr("departure delay of coalesced"));
    EXPECT_THAT(refused(kernel, machine, {}), HasSubstr("blocks is 0"));
    Residency few = full;
    few.blocks = 39;
    EXPECT_THAT(refused(kernel, machine, few), HasSubstr("more active blocks"));
}

TEST(MwpCwp, ExplainsItself) {
    const Kernel kernel{.instructions = 10, .coalesced = 1, .bytes_per_load = 128};
    const auto symbols = explain(kernel, machine, full, kernel_time(kernel, machine, full).value());
    EXPECT_THAT(symbols, testing::Contains(ExplainedSymbol{"MWP_full", 100, "warps", "HK09"}));
}

} // namespace
} // namespace warpbound::models::mwp_cwp

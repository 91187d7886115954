/// \file
/// "Waves times the bound of a block" is no bound: the published launches that exceed it. Each
/// block is one warp of instructions that wait for each other, each multiprocessor has one
/// scheduler.

#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace warpbound {
namespace {

using models::Interval;
using tests::set;
using tests::TinyLaunch;

/// Times from an instruction to the next one, the last one's to the end of the block.
struct Published {
    const char* name;
    std::vector<Interval> latencies;
    std::int64_t multiprocessors;
    std::int64_t resident;
    std::int64_t blocks;
    std::int64_t worst; ///< By exhaustive search.

    /// Of a block, as if it were delayed by those only that are resident with it at its start.
    [[nodiscard]] std::int64_t block() const {
        std::int64_t path = 0;
        for (const Interval& latency : latencies)
            path += latency.hi;
        return path + (resident - 1) * static_cast<std::int64_t>(latencies.size());
    }
    [[nodiscard]] std::int64_t waves() const {
        const std::int64_t places = multiprocessors * resident;
        return (blocks + places - 1) / places;
    }
};

constexpr Interval exactly(std::int64_t cycles) {
    return {cycles, cycles, cycles};
}

/// A block of one warp waits at a barrier for its latency only. The last instruction is the EXIT.
/// Requires: one latency but the last is not 1 at most.
TinyLaunch launch_of(const Published& published, const char* policy) {
    TinyLaunch tiny{.machine = models::load_architecture("fermi-gtx470").value(),
                    .text = "!Arch sm_20\n!Kernel k\n",
                    .facts = {},
                    .launch = {published.blocks, 32},
                    .multiprocessors = published.multiprocessors,
                    .policy = models::read_policy(policy).value()};
    for (const char* name : {"count", "issue-slot", "same-warp-interval"})
        set(tiny.machine.schedulers, name, 1);
    set(tiny.machine.limits, "max-blocks", published.resident);
    for (auto& [opcode_class, timing] : tiny.machine.classes) {
        set(timing.values, "latency", 1);
        set(timing.values, "initiation", 1);
    }
    for (std::size_t i = 0; i + 1 < published.latencies.size(); ++i) {
        const Interval& latency = published.latencies[i];
        const bool plain = latency.hi == 1;
        tiny.text += plain ? "NOP;\n" : "BAR.SYNC 0x0;\n";
        if (!plain)
            set(tiny.machine.classes.at(assembly::OpcodeClass::Barrier).values, "latency", latency);
    }
    tiny.text += "EXIT;\n!EndKernel\n";
    const Interval& last = published.latencies.back();
    set(tiny.machine.classes.at(assembly::OpcodeClass::Exit).values, "latency", last);
    // The EXIT's issue slot is over a cycle later in any case.
    set(tiny.machine.blocks, "start", last.hi == 1 ? exactly(0) : last);
    set(tiny.machine.blocks, "replacement", 0);
    tiny.read();
    return tiny;
}

/// The longest of so many runs.
std::int64_t longest_run(const TinyLaunch& tiny, std::uint64_t runs) {
    const harness::Kernel kernel{&tiny.function(), &tiny.graph, &tiny.facts, tiny.launch};
    const auto prepared = harness::simulator::Machine::prepare(tiny.machine, kernel, tiny.policy,
                                                               tiny.multiprocessors);
    EXPECT_TRUE(prepared) << to_string(prepared.error());
    std::int64_t longest = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        const auto seen = prepared.value()->run({seed, harness::Draw::Extremes, {}});
        EXPECT_TRUE(seen) << to_string(seen.error());
        longest = std::max(longest, seen.value().execution_time.count());
    }
    return longest;
}

// Source: exhaustive search over small launches (docs/theory, S20, names the claim).
const Published interleaved{
    "two multiprocessors, any choices", {exactly(1), exactly(1)}, 2, 3, 12, 14};
const Published late{"two multiprocessors, any choices, latencies drawn",
                     {exactly(1), {2, 9, 9}, exactly(1), exactly(1)},
                     2,
                     2,
                     8,
                     34};
const Published greedy{"two multiprocessors, greedy then oldest",
                       {exactly(1), exactly(1), {1, 3, 3}, {3, 4, 4}},
                       2,
                       2,
                       8,
                       27};
const Published unfair{"one multiprocessor, greedy then oldest",
                       {{1, 4, 4}, exactly(1), exactly(1), exactly(3)},
                       1,
                       3,
                       9,
                       43};

// One multiprocessor finishes its blocks one by one and gets seven of them, the other interleaves
// three and finishes them late.
TEST(BlockBounds, OfWavesAreExceededByTheExactWorstOfTwoMultiprocessors) {
    const TinyLaunch tiny = launch_of(interleaved, "unknown");
    const auto exact = tiny.exact(1'000'000);
    ASSERT_TRUE(exact) << "too many states";
    EXPECT_EQ(exact->worst, interleaved.worst);
    EXPECT_EQ(longest_run(tiny, 2'000), interleaved.worst);
    const auto bounds = tiny.bounds();
    EXPECT_LE(bounds.upper().count(), 16 + 1); // Claim CB8, and one change of warp.
    EXPECT_LE(bounds.lower().count(), exact->best);
}

TEST(BlockBounds, OfWavesAreExceededWhereOurBoundsHold) {
    for (const Published* published : {&interleaved, &late, &greedy}) {
        SCOPED_TRACE(published->name);
        EXPECT_GT(published->worst, published->waves() * published->block());
        const auto bounds = launch_of(*published, "unknown").bounds();
        EXPECT_GE(bounds.upper().count(), published->worst);
    }
    // There the bound of a block is exceeded, waves times it is not.
    EXPECT_EQ(unfair.block(), 17);
    EXPECT_LT(unfair.worst, unfair.waves() * unfair.block());
    EXPECT_GE(launch_of(unfair, "gto").bounds().upper().count(), unfair.worst);
}

TEST(BlockBounds, OfWavesHoldInLooseRoundRobin) {
    for (const Published* published : {&interleaved, &late, &greedy, &unfair}) {
        SCOPED_TRACE(published->name);
        const TinyLaunch tiny = launch_of(*published, "lrr");
        const std::int64_t upper = tiny.bounds().upper().count();
        // The start of a block counts on its own.
        EXPECT_LE(upper,
                  published->waves() * published->block() +
                      (published->waves() - 1) * tiny.machine.blocks.find("start")->interval->hi);
        EXPECT_LE(longest_run(tiny, 2'000), upper);
    }
}

TEST(BlockBounds, OfWavesAreExceededByRuns) {
    EXPECT_EQ(longest_run(launch_of(late, "two-level:active=1"), 1'000), late.worst);
    // Longer than a block's bound there, not than all waves.
    EXPECT_EQ(longest_run(launch_of(unfair, "gto"), 20'000), unfair.worst);
}

} // namespace
} // namespace warpbound

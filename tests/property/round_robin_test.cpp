/// \file
/// Launches under `srr` built so that what a bound charges for warps that come back comes true: no
/// simulated time lies outside, and without that part of the bound some would.

#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace warpbound {
namespace {

using tests::set;
using tests::TinyLaunch;

/// Fermi with one scheduler on which nothing but barriers and starts of blocks takes long.
TinyLaunch fast_but_for(std::int64_t barrier, std::int64_t start, std::int64_t places,
                        const std::string& body, models::Launch launch) {
    TinyLaunch tiny{.machine = models::load_architecture("fermi-gtx470").value(),
                    .text = "!Arch sm_20\n!Kernel k\n" + body + "\n!EndKernel\n",
                    .facts = {},
                    .launch = launch};
    set(tiny.machine.schedulers, "count", 1);
    set(tiny.machine.schedulers, "issue-slot", 1);
    set(tiny.machine.schedulers, "same-warp-interval", 1);
    set(tiny.machine.limits, "max-blocks", places);
    set(tiny.machine.blocks, "replacement", 0);
    set(tiny.machine.blocks, "start", start);
    for (auto& value : tiny.machine.control_flow.values)
        value.interval = models::Interval{1, 1, 1};
    set(tiny.machine.classes.at(assembly::OpcodeClass::Barrier).values, "latency", barrier);
    tiny.policy = models::read_policy("srr").value();
    tiny.read();
    return tiny;
}

void expect_to_need(const TinyLaunch& tiny, std::string_view term) {
    const analyzer::Envelope envelope = tiny.envelope();
    std::int64_t charged = 0;
    for (const analyzer::BoundTerm& each : envelope.upper.terms)
        if (each.text == term) charged += each.count * each.cycles;
    const harness::Kernel kernel{&tiny.function(), &tiny.graph, &tiny.facts, tiny.launch};
    const auto machine = harness::simulator::Machine::prepare(tiny.machine, kernel, tiny.policy, 1);
    ASSERT_TRUE(machine) << to_string(machine.error());
    std::int64_t worst = 0;
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        const auto seen = machine.value()->run({seed, harness::Draw::Uniform, {}});
        ASSERT_TRUE(seen) << to_string(seen.error());
        const auto time = seen.value().execution_time;
        ASSERT_TRUE(envelope.bounds().contains(time)) << time.count() << ", run seed " << seed;
        worst = std::max(worst, time.count());
    }
    EXPECT_GT(worst, envelope.upper.proved.count() - charged) << charged << " of " << term;
}

// A first warp that comes to its barrier a turn behind the second one opens it just before that
// one's turn, again and again; so does the next block.
TEST(RoundRobin, AtBarriersOfSeveralBlocksWaitForEachOfThem) {
    std::string body = "@P0 BRA L; MOV R1, R2; L:";
    for (int i = 0; i < 8; ++i)
        body += " BAR.SYNC 0x0;";
    expect_to_need(fast_but_for(100, 0, 3, body + " EXIT;", {3, 64}),
                   "stall by warps of another block after a barrier");
}

// While one block goes on for long, the others end at once: each next one is waited for.
std::string short_or_long() {
    std::string body = "@P0 EXIT;";
    for (int i = 0; i < 30; ++i)
        body += " MOV R1, R2;";
    return body + " EXIT;";
}

TEST(RoundRobin, WaitForTheStartOfEveryBlock) {
    expect_to_need(fast_but_for(1, 10'000, 2, short_or_long(), {4, 64}),
                   "stall by warps of another block that starts");
}

TEST(RoundRobin, WaitForTheStartOfEveryBlockOfOneWarp) {
    expect_to_need(fast_but_for(1, 10'000, 2, short_or_long(), {4, 32}),
                   "stall of a rotation by a block that starts");
}

} // namespace
} // namespace warpbound

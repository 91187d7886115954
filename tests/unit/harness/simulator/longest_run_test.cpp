/// \file
/// The directed search for long runs, and the turns that it tries.

#include "harness/simulator/longest_run.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace warpbound::harness::simulator {
namespace {

/// A launch of random accesses; the seed is of those and of the machine.
struct Prepared {
    test::RandomAccesses made;
    std::shared_ptr<const Machine> machine;

    Prepared(std::uint64_t seed, const std::string& policy) : made{test::random_accesses(seed)} {
        const Kernel kernel{&made.program.function, &made.program.graph, &made.program.facts,
                            made.launch};
        machine =
            Machine::prepare(made.machine, kernel, models::read_policy(policy).value(), 1).value();
    }
    [[nodiscard]] std::int64_t time(const RunOptions& options) const {
        return machine->run(options).value().execution_time.count();
    }
};

std::vector<Event> events_before(const Prepared& prepared, const RunOptions& options,
                                 std::int64_t cycle) {
    std::vector<Event> events;
    const auto seen = prepared.machine->run(options, [&](const Event& event) {
        if (std::visit([](const auto& one) { return one.cycle; }, event) < cycle)
            events.push_back(event);
    });
    EXPECT_TRUE(seen);
    return events;
}

constexpr std::uint64_t kernels = 6;

TEST(LongestRun, IsNoShorterThanTheFirstAndCanBeRunAgain) {
    std::size_t longer = 0;
    for (std::uint64_t seed = 1; seed <= kernels; ++seed) {
        SCOPED_TRACE(seed);
        const Prepared prepared{seed, "unknown"};
        const RunOptions from{.seed = seed, .draw = Draw::AllHigh, .path = {}};
        const auto longest = longest_run(*prepared.machine, from, 12);
        ASSERT_TRUE(longest);
        EXPECT_EQ(prepared.time(longest.value().options), longest.value().execution_time.count());
        const std::int64_t first = prepared.time(from);
        EXPECT_GE(longest.value().execution_time.count(), first);
        if (longest.value().execution_time.count() > first) ++longer;
        const auto again = longest_run(*prepared.machine, from, 12);
        EXPECT_EQ(again.value().options.turns, longest.value().options.turns);
    }
    EXPECT_GT(longer, 0U);
}

TEST(LongestRun, WithoutTriesIsTheFirst) {
    const Prepared prepared{3, "unknown"};
    const RunOptions from{.seed = 5, .draw = Draw::Uniform, .path = {}};
    const auto longest = longest_run(*prepared.machine, from, 0).value();
    EXPECT_EQ(longest.execution_time.count(), prepared.time(from));
    EXPECT_TRUE(longest.options.turns.empty());
}

TEST(Turns, ChangeNothingBeforeTheirCycle) {
    std::size_t changed = 0;
    for (std::uint64_t seed = 1; seed <= kernels; ++seed) {
        SCOPED_TRACE(seed);
        const Prepared prepared{seed, "unknown"};
        RunOptions options{.seed = seed, .draw = Draw::AllHigh, .path = {}};
        const std::int64_t time = prepared.time(options);
        const auto before = events_before(prepared, options, time / 2);
        options.turns.push_back({time / 2, seed + 100});
        const auto with_turn = events_before(prepared, options, time / 2);
        ASSERT_EQ(before.size(), with_turn.size());
        for (std::size_t i = 0; i < before.size(); ++i)
            EXPECT_EQ(before[i].index(), with_turn[i].index());
        if (prepared.time(options) != time) ++changed;
    }
    EXPECT_GT(changed, 0U);
}

TEST(Turns, AreOfUnknownPoliciesOnly) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Prepared prepared{seed, "gto"};
        RunOptions options{.seed = seed, .draw = Draw::AllHigh, .path = {}};
        const std::int64_t time = prepared.time(options);
        options.turns.push_back({0, seed + 100});
        EXPECT_EQ(prepared.time(options), time) << seed;
    }
}

} // namespace
} // namespace warpbound::harness::simulator

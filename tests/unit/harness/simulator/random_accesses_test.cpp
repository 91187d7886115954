// Random accesses through random small caches satisfy the timing contract and lose no sector.

#include "harness/simulator/decode/translation.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/harness/simulator/any_order.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace warpbound::harness::simulator::test {
namespace {

using testing::IsEmpty;

/// Fails where a run violates a rule.
void expect_no_violation(const RandomAccesses& test, const RunOptions& options,
                         const models::WarpPolicy& policy, std::int64_t multiprocessors) {
    const TestRun result =
        run(test.program, test.machine, test.launch, options, policy, multiprocessors);
    EXPECT_THAT(tests::violations(test.program.kernel(test.launch), test.machine, policy,
                                  {result.events, result.observation.execution_time.count(),
                                   static_cast<int>(multiprocessors)}),
                IsEmpty())
        << "seed " << options.seed << ", draw " << to_string(options.draw) << ", "
        << to_string(policy);
}

// The checker replays the caches from the events and does not use the simulator.
TEST(RandomAccesses, ObeyEveryRuleOfTheContract) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const RandomAccesses test = random_accesses(seed);
        for (const Draw draw : all_draws) {
            const RunOptions options{.seed = seed, .draw = draw, .path = {}};
            const TestRun result = run(test.program, test.machine, test.launch, options);
            EXPECT_THAT(
                tests::violations(test.program.kernel(test.launch), test.machine, {},
                                  {result.events, result.observation.execution_time.count()}),
                IsEmpty())
                << "seed " << seed << ", draw " << to_string(draw);
            if (testing::Test::HasFailure()) return;
        }
    }
}

// Also on three SMs, with instruction buffers, under every policy.
TEST(RandomAccesses, ObeyEveryRuleWithFetchAndSeveralSms) {
    for (std::uint64_t seed = 1; seed <= 28; ++seed) {
        RandomAccesses test = random_accesses(seed);
        const std::int64_t multiprocessors = seed % 2 == 0 ? 3 : 1;
        set(test.machine.geometry, "multiprocessors", 3);
        if (seed % 3 == 0)
            for (const char* name : {"buffer", "width", "ports"})
                set(test.machine.fetch, name, 2);
        expect_no_violation(test, {.seed = seed, .draw = all_draws[seed % 5], .path = {}},
                            tests::policy_of(seed), multiprocessors);
    }
}

// Loads and stores arrive at the load/store unit when they enter their units (C49).
TEST(RandomAccesses, ObeyEveryRuleAfterOperandCollectors) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomAccesses test = random_collected_accesses(seed);
        set(test.machine.geometry, "multiprocessors", 3);
        expect_no_violation(test, {.seed = seed, .draw = all_draws[seed % 5], .path = {}},
                            tests::policy_of(seed), seed % 3 == 0 ? 3 : 1);
        if (testing::Test::HasFailure()) return;
    }
}

// Loads arrive at the load/store unit when they are handed over (C74).
TEST(RandomAccesses, ObeyEveryRuleBehindMemoryQueues) {
    for (std::uint64_t seed = 1; seed <= 18; ++seed) {
        RandomAccesses test = random_queued_accesses(seed);
        set(test.machine.geometry, "multiprocessors", 3);
        expect_no_violation(test, {.seed = seed, .draw = all_draws[seed % 5], .path = {}},
                            tests::policy_of(seed), seed % 3 == 0 ? 3 : 1);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomAccesses, ObeyEveryRuleOnADescribedSimulator) {
    const auto machine = models::load_architecture("gtx480-gpgpusim").value();
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        RandomAccesses test = random_accesses(seed);
        test.machine = machine;
        expect_no_violation(test, {.seed = seed, .draw = all_draws[seed % 5], .path = {}},
                            tests::policy_of(seed), seed % 3 == 0 ? 3 : 1);
        if (testing::Test::HasFailure()) return;
    }
}

// Sectors that miss the L1 are looked up in the L2, and those that miss there are read from DRAM:
// no sector is lost and none is filled twice.
TEST(RandomAccesses, ConserveSectors) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const RandomAccesses test = random_accesses(seed);
        const TestRun result = run(test.program, test.machine, test.launch,
                                   {.seed = seed, .draw = Draw::Uniform, .path = {}});
        std::map<CacheLevel, std::int64_t> missed_sectors;
        std::map<CacheLevel, std::int64_t> filled_sectors;
        std::int64_t looked_up_in_l2 = 0;
        for (const Event& event : result.events) {
            if (const auto* access = std::get_if<LineAccessed>(&event); access && !access->write) {
                missed_sectors[access->level] += std::popcount(access->missed);
                if (access->level == CacheLevel::L2)
                    looked_up_in_l2 += std::popcount(access->hit | access->merged | access->missed);
            } else if (const auto* filled = std::get_if<LineFilled>(&event)) {
                filled_sectors[filled->level] += std::popcount(filled->sectors);
            }
        }
        EXPECT_EQ(missed_sectors, filled_sectors) << "seed " << seed;
        EXPECT_EQ(missed_sectors[CacheLevel::L1], looked_up_in_l2) << "seed " << seed;
    }
}

/// Runs on `multiprocessors` SMs, also with the components in other orders.
models::Observation run_on(std::size_t multiprocessors, const RandomAccesses& test,
                           std::uint64_t seed, const Listener& listener = {}) {
    auto code = translate(test.machine, test.program.kernel(test.launch));
    if (!code) {
        ADD_FAILURE() << code.error().what;
        return {};
    }
    code.value().machine.multiprocessors = multiprocessors;
    return run_in_any_order(code.value(), seed, listener);
}

TEST(RandomAccesses, DoNotDependOnTheOrderOfComponents) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        run_on(1,
               seed % 3 == 0   ? random_queued_accesses(seed)
               : seed % 3 == 1 ? random_accesses(seed)
                               : random_collected_accesses(seed),
               seed);
}

TEST(RandomAccesses, OfSeveralMultiprocessorsShareTheL2) {
    std::size_t most_users = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        std::map<CacheLevel, std::set<int>> units;
        std::map<CacheLevel, std::int64_t> missed_sectors;
        std::map<CacheLevel, std::int64_t> filled_sectors;
        run_on(3, random_accesses(seed), seed, [&](const Event& event) {
            if (const auto* access = std::get_if<LineAccessed>(&event); access && !access->write) {
                missed_sectors[access->level] += std::popcount(access->missed);
                units[access->level].insert(access->unit);
            } else if (const auto* filled = std::get_if<LineFilled>(&event)) {
                filled_sectors[filled->level] += std::popcount(filled->sectors);
            }
        });
        EXPECT_EQ(missed_sectors, filled_sectors) << "seed " << seed;
        EXPECT_LE(units[CacheLevel::L2].size(), 2U) << "there are two slices";
        most_users = std::max(most_users, units[CacheLevel::L1].size());
    }
    EXPECT_EQ(most_users, 3U);
}

} // namespace
} // namespace warpbound::harness::simulator::test

// Multiprocessors with clocks of their own, on any number of threads, run as with one clock.

#include "harness/simulator/decode/translation.hpp"
#include "harness/simulator/machine_run.hpp"
#include "harness/simulator/windows.hpp"
#include "tests/support/atomic_accesses.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness::simulator::test {
namespace {

constexpr std::int64_t multiprocessors = 3;

/// A text of each outcome: the times or the refusal, then every event.
struct Run {
    std::optional<models::Observation> observation;
    std::string refusal;
    std::vector<Event> events;
    friend bool operator==(const Run&, const Run&) = default;
};

Run run_with(const KernelCode& code, const RunOptions& options, Clocks clocks) {
    Run run;
    const auto observed = run_once(
        code, options, [&](const Event& event) { run.events.push_back(event); }, {}, clocks);
    if (observed)
        run.observation = observed.value();
    else
        run.refusal = observed.error().what;
    return run;
}

/// Up to 11 blocks, most of which wait for others to end.
template <typename Test> KernelCode code_of(Test& test, std::uint64_t seed) {
    set(test.machine.geometry, "multiprocessors", multiprocessors);
    test.launch.blocks = static_cast<std::int64_t>(1 + seed % 11);
    if (seed % 4 != 0) {
        set(test.machine.limits, "max-blocks", static_cast<std::int64_t>(1 + seed % 2));
        set(test.machine.blocks, "replacement",
            Values{0, static_cast<std::int64_t>(seed % 3) * 40});
        set(test.machine.blocks, "start", Values{static_cast<std::int64_t>(seed % 5), 20});
    }
    auto code = translate(test.machine, test.program.kernel(test.launch), tests::policy_of(seed),
                          multiprocessors);
    EXPECT_TRUE(code) << code.error().what;
    return std::move(code.value());
}

template <typename Test> void expect_the_same(Test test, std::uint64_t seed) {
    const KernelCode code = code_of(test, seed);
    RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
    if (seed % 7 == 0) options.longest = 200;
    ASSERT_GT(lookahead_of(plan_of(code)), 0);
    const Run expected = run_with(code, options, Clocks::One);
    for (const unsigned threads : {1U, 3U}) {
        options.threads = threads;
        const Run run = run_with(code, options, Clocks::Own);
        EXPECT_TRUE(run == expected)
            << "seed " << seed << ", " << threads << " threads, " << expected.refusal << " | "
            << run.refusal << ", " << expected.events.size() << " and " << run.events.size()
            << " events";
    }
}

TEST(Windows, NeedSeveralMultiprocessorsAndOneLaunch) {
    auto test = random_case(1);
    set(test.machine.geometry, "multiprocessors", 2);
    for (const std::int64_t number : {1, 2}) {
        const auto code = translate(test.machine, test.program.kernel(test.launch), {}, number);
        ASSERT_TRUE(code) << code.error().what;
        EXPECT_EQ(lookahead_of(plan_of(code.value())) > 0, number == 2);
    }
}

TEST(Windows, ChangeNothingThroughCaches) {
    for (std::uint64_t seed = 1; seed <= 14; ++seed) {
        auto test = random_accesses(seed);
        if (seed % 3 == 0) { // Long enough to be shared by threads.
            set_memory(test.machine, "interconnect", "latency", {200, 210});
            set_memory(test.machine, "l2", "latency", {600, 700});
            set_memory(test.machine, "dram", "latency", {800, 900});
        }
        expect_the_same(test, seed);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(Windows, ChangeNothingThroughCachesAndOperandCollectors) {
    for (std::uint64_t seed = 1; seed <= 7; ++seed) {
        expect_the_same(random_collected_accesses(seed), seed);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(Windows, ChangeNothingThroughCachesBehindMemoryQueues) {
    for (std::uint64_t seed = 1; seed <= 9; ++seed) {
        expect_the_same(random_queued_accesses(seed), seed);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(Windows, ChangeNothingWithAtomics) {
    for (std::uint64_t seed = 1; seed <= 14; ++seed) {
        expect_the_same(tests::with_atomics(random_accesses(seed), seed), seed);
        expect_the_same(tests::with_atomics(random_collected_accesses(seed), seed), seed);
        auto queued = tests::with_atomics(random_queued_accesses(seed), seed);
        set(queued.machine.classes[assembly::OpcodeClass::AtomicGlobal].values, "entry", {2, 9});
        expect_the_same(queued, seed);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(Windows, ChangeNothingWithoutCaches) {
    for (std::uint64_t seed = 1; seed <= 14; ++seed) {
        expect_the_same(random_case(seed), seed);
        expect_the_same(random_pipeline_case(seed), seed);
        expect_the_same(random_ports_case(seed), seed);
        expect_the_same(random_queue_case(seed), seed);
        expect_the_same(random_instruction_cache_case(seed), seed);
        expect_the_same(random_constant_case(seed), seed);
        expect_the_same(random_operand_case(seed), seed);
        if (testing::Test::HasFailure()) return;
    }
}

} // namespace
} // namespace warpbound::harness::simulator::test

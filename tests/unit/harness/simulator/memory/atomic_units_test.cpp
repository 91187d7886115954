// Global atomics of several SMs wait for each other at slices of the L2 (C57).

#include "harness/simulator/decode/translation.hpp"
#include "tests/support/atomic_accesses.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/harness/simulator/any_order.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warpbound::harness::simulator::test {
namespace {

using testing::IsEmpty;

assembly::Instruction reduction(int base, int from) {
    return make("RED", assembly::OpcodeClass::AtomicGlobal, {memory(base), reg(from)});
}

/// Two SMs with room for one block each; an atomic takes 50 cycles, 20 for each transaction at its
/// slice.
models::Architecture machine_of_two() {
    auto machine = cached_machine(models::IssueControl::Interlocked);
    set(machine.geometry, "multiprocessors", 2);
    set(machine.limits, "max-blocks", 1);
    set_class(machine, {assembly::OpcodeClass::AtomicGlobal, "core-unit", 50, 1});
    set_memory(machine, "l2", "atomic", 20);
    return machine;
}

std::int64_t time_of(const TestProgram& program, const models::Architecture& machine) {
    return run(program, machine, {2, 32}, {}, {}, 2).observation.execution_time.count();
}

TEST(AtomicUnits, ServeTheAtomicsOfTwoSmsOneAfterTheOther) {
    TestProgram program = straight_line({reduction(0, 1)});
    program.set_passes(0, 1, 1);
    EXPECT_EQ(time_of(program, machine_of_two()), 20 + 50);
}

TEST(AtomicUnits, CompleteNoSoonerThanTheirLastTransaction) {
    TestProgram program = straight_line({reduction(0, 1)});
    program.set_passes(0, 8, 8);
    EXPECT_EQ(time_of(program, machine_of_two()), 2 * 8 * 20); // 160 + 50 + 7 * 3 is less.
}

TEST(AtomicUnits, ServeDifferentSlicesAtTheSameTime) {
    auto machine = machine_of_two();
    set_memory(machine, "l2", "slices", 2);
    set_memory(machine, "l1", "sector", 128);
    TestProgram program = straight_line({reduction(0, 1)});
    auto& pattern = program.set_pattern(0);
    pattern.thread_stride = 4;
    pattern.block_stride = 256; // Lines have 128 bytes: the same slice.
    EXPECT_EQ(time_of(program, machine), 20 + 50);
    program.facts.memory.front().pattern->block_stride = 128;
    EXPECT_EQ(time_of(program, machine), 50);
}

TEST(AtomicUnits, ObeyEveryRuleOfTheContract) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        RandomAccesses test = tests::with_atomics(
            seed % 2 == 0 ? random_accesses(seed) : random_collected_accesses(seed), seed);
        set(test.machine.geometry, "multiprocessors", 3);
        const std::int64_t multiprocessors = seed % 3 == 0 ? 1 : 3;
        const auto policy = tests::policy_of(seed);
        const TestRun result =
            run(test.program, test.machine, test.launch,
                {.seed = seed, .draw = all_draws[seed % 5], .path = {}}, policy, multiprocessors);
        EXPECT_THAT(tests::violations(test.program.kernel(test.launch), test.machine, policy,
                                      {result.events, result.observation.execution_time.count(),
                                       static_cast<int>(multiprocessors)}),
                    IsEmpty())
            << "seed " << seed;
        if (testing::Test::HasFailure()) return;
    }
}

TEST(AtomicUnits, DoNotDependOnTheOrderOfComponents) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const RandomAccesses test = tests::with_atomics(
            seed % 2 == 0 ? random_accesses(seed) : random_collected_accesses(seed), seed);
        auto code = translate(test.machine, test.program.kernel(test.launch));
        ASSERT_TRUE(code) << code.error().what;
        code.value().machine.multiprocessors = 3;
        run_in_any_order(code.value(), seed);
    }
}

/// Plants an error into the first event that allows one; the checker has to find it.
template <typename Plant> void expect_found(const char* name, Plant plant) {
    int planted = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        RandomAccesses test = tests::with_atomics(random_accesses(seed), seed);
        TestRun result = run(test.program, test.machine, test.launch,
                             {.seed = seed, .draw = Draw::Uniform, .path = {}});
        const auto found = std::find_if(result.events.begin(), result.events.end(), plant);
        if (found == result.events.end()) continue;
        ++planted;
        EXPECT_FALSE(tests::violations(test.program.kernel(test.launch), test.machine, {},
                                       {result.events, result.observation.execution_time.count()})
                         .empty())
            << name << ", seed " << seed;
    }
    EXPECT_GT(planted, 4) << name;
}

TEST(AtomicUnits, WithAPlantedErrorAreFound) {
    const auto served = [](Event& event) { return std::get_if<AtomicServed>(&event); };
    expect_found("a slice that is free too soon", [&](Event& event) {
        if (auto* atomic = served(event)) return atomic->until = atomic->cycle, true;
        return false;
    });
    expect_found("an atomic with a transaction more", [&](Event& event) {
        if (auto* atomic = served(event)) return atomic->transactions += 100, true;
        return false;
    });
    expect_found("an atomic that came later", [&](Event& event) {
        if (auto* atomic = served(event)) return ++atomic->arrived, true;
        return false;
    });
}

} // namespace
} // namespace warpbound::harness::simulator::test

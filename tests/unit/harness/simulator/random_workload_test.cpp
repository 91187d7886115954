// Random workloads against every rule of the contract (C32 to C36).

#include "harness/simulator/decode/translation.hpp"
#include "harness/simulator/machine_run.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace warpbound::harness::simulator::test {
namespace {

using models::HostOperation;

/// Kernels and operations drawn from a seed; kernels refer to the programs, which must not move.
struct RandomWorkload {
    std::vector<Case> cases;
    std::optional<RandomAccesses> cached;
    models::Architecture machine;
    std::int64_t multiprocessors = 1;
    Workload workload;
};

std::unique_ptr<RandomWorkload> random_workload(std::uint64_t seed) {
    std::mt19937_64 engine{seed};
    const auto pick = [&](std::uint64_t lo, std::uint64_t hi) {
        return static_cast<std::int64_t>(lo + engine() % (hi - lo + 1));
    };
    auto test = std::make_unique<RandomWorkload>();
    if (seed % 4 == 0) {
        test->cached = random_accesses(seed);
        test->machine = test->cached->machine;
        models::Launch grid = test->cached->launch;
        grid.blocks = pick(1, 3);
        for (int kernel = 0; kernel < 2; ++kernel)
            test->workload.kernels.push_back(test->cached->program.kernel(grid));
    } else {
        test->cases.push_back(seed % 4 == 1 ? random_pipeline_case(seed) : random_case(seed));
        for (std::uint64_t other = 1; test->cases.size() < 3; ++other) {
            Case next = random_case(seed + 1000 * other);
            if (next.machine.issue_control == test->cases.front().machine.issue_control)
                test->cases.push_back(std::move(next));
        }
        test->machine = test->cases.front().machine;
        for (const Case& single : test->cases) {
            models::Launch grid = single.launch;
            grid.blocks = pick(1, 6);
            if (pick(0, 1) == 1) grid.registers = pick(1, 32);
            if (pick(0, 1) == 1) grid.shared_memory = pick(0, 8000);
            test->workload.kernels.push_back(single.program.kernel(grid));
        }
    }
    test->multiprocessors = pick(1, 3);
    const auto host = host_machine(test->multiprocessors);
    models::Architecture& machine = test->machine;
    machine.transfers = host.transfers;
    set(machine.geometry, "multiprocessors", test->multiprocessors);
    set(machine.geometry, "core-clock", Values{1000, 1100});
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
             {"registers", 32768},
             {"registers-per-block", 32768},
             {"registers-per-thread", 63},
             {"register-granularity", 64},
             {"register-partitions", 2},
             {"shared-memory", 16384},
             {"shared-memory-per-block", 12288},
             {"shared-granularity", 128},
             {"shared-reserved", 0},
             {"max-blocks", pick(2, 6)}})
        set(machine.limits, name, value);
    set(machine.blocks, "launch", Values{pick(0, 50), 300});
    if (pick(0, 1) == 1) set(machine.transfers, "call", Values{0, 200'000});
    set(machine.transfers, "engines", pick(1, 2));
    set(machine.blocks, "start", Values{pick(0, 5), 7});
    set(machine.blocks, "replacement", Values{20, 60});
    const std::int64_t streams = pick(1, 4);
    for (std::int64_t count = pick(1, 9); count > 0; --count) {
        const auto stream = pick(0, 5) == 0
                                ? null_stream
                                : std::optional{static_cast<std::size_t>(pick(1, 4) % streams)};
        HostOperation operation = launch(0, stream);
        if (pick(0, 2) == 0)
            operation =
                pick(0, 1) == 0 ? to_device(pick(1, 900), stream) : to_host(pick(1, 900), stream);
        else
            operation.kernel = engine() % test->workload.kernels.size();
        if (pick(0, 3) == 0) operation.at = pick(0, 2000);
        test->workload.operations.push_back(operation);
    }
    test->workload.operations.push_back(launch(0, stream_a));
    return test;
}

TEST(RandomWorkloads, ObeyTheContract) {
    const auto policies = tests::conserving_policies(
        {"two-level:active=3", "srr", "variable-rate:fast=1,every=3,conserving"});
    for (std::uint64_t seed = 1; seed <= 240; ++seed) {
        const auto test = random_workload(seed);
        run(test->workload, test->machine, test->multiprocessors,
            {.seed = seed, .draw = all_draws[seed % 5], .path = {}},
            models::read_policy(policies[seed % policies.size()]).value());
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomWorkloads, DoNotDependOnTheOrderOfComponents) {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        const auto test = random_workload(seed);
        const auto code = translate(test->machine, test->workload, {}, test->multiprocessors, {});
        ASSERT_TRUE(code) << code.error().what;
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        const auto expected = run_workload(code.value().plan, options);
        ASSERT_TRUE(expected) << expected.error().what;
        std::mt19937_64 engine{seed};
        const TickOrder shuffle = [&](std::span<Component*> ticking) {
            std::shuffle(ticking.begin(), ticking.end(), engine);
        };
        for (int repetition = 0; repetition < 3; ++repetition)
            EXPECT_EQ(run_workload(code.value().plan, options, {}, shuffle).value(),
                      expected.value())
                << "seed " << seed;
    }
}

TEST(RandomWorkloads, DoNotDependOnThreads) {
    const auto test = random_workload(3);
    const auto machine =
        WorkloadMachine::prepare(test->machine, test->workload, {}, test->multiprocessors);
    ASSERT_TRUE(machine);
    std::vector<WorkloadObservation> concurrent(8);
    std::vector<std::thread> threads;
    for (std::size_t seed = 0; seed < concurrent.size(); ++seed)
        threads.emplace_back([&, seed] {
            concurrent[seed] = machine.value()->run({.seed = seed, .draw = {}, .path = {}}).value();
        });
    for (auto& thread : threads)
        thread.join();
    for (std::size_t seed = 0; seed < concurrent.size(); ++seed)
        EXPECT_EQ(machine.value()->run({.seed = seed, .draw = {}, .path = {}}).value(),
                  concurrent[seed]);
}
} // namespace
} // namespace warpbound::harness::simulator::test

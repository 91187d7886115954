// Streams, launch cost, copies, and launches that share SMs (C32 to C36).

#include "harness/simulator/machine_run.hpp"
#include "tests/support/event_checker/workload_checker.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace warpbound::harness::simulator::test {
namespace {

using models::HostOperation;
using models::HostOperationKind;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t stream_a = 0;
constexpr std::size_t stream_b = 1;
constexpr std::optional<std::size_t> null_stream = std::nullopt;

HostOperation launch(std::size_t kernel, std::optional<std::size_t> stream, std::int64_t at = 0) {
    return {.kind = HostOperationKind::Launch, .stream = stream, .kernel = kernel, .at = at};
}
HostOperation to_device(std::int64_t bytes, std::optional<std::size_t> stream) {
    return {.kind = HostOperationKind::CopyToDevice, .stream = stream, .bytes = bytes};
}
HostOperation to_host(std::int64_t bytes, std::optional<std::size_t> stream) {
    return {.kind = HostOperationKind::CopyToHost, .stream = stream, .bytes = bytes};
}

/// The small machine with SMs of two blocks, a launch cost of 100, one copy engine; a clock of 1
/// MHz and 1 kB/ms: a copy of n bytes takes n cycles and, to the device, 10 more.
models::Architecture host_machine(std::int64_t multiprocessors = 1) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    set(machine.geometry, "multiprocessors", multiprocessors);
    set(machine.geometry, "core-clock", 1000);
    set(machine.limits, "max-blocks", 2);
    set(machine.blocks, "launch", 100);
    set(machine.transfers, "host-to-device-start", 10'000);
    set(machine.transfers, "host-to-device-bandwidth", 1000);
    set(machine.transfers, "device-to-host-start", 0);
    set(machine.transfers, "device-to-host-bandwidth", 1000);
    set(machine.transfers, "engines", 1);
    set(machine.blocks, "start", 5);
    set(machine.blocks, "replacement", 50);
    return machine;
}

/// Issues at 0, 18 and 24 from its start; completes at 18 + 22 = 40.
TestProgram short_program() {
    return straight_line({add(1, 0, 0), cosine(2, 1)});
}

struct WorkloadRun {
    WorkloadObservation observation;
    std::vector<Event> events;

    const OperationTimes& operator[](std::size_t operation) const {
        return observation.operations.at(operation);
    }
    /// Starts of warps by number.
    [[nodiscard]] std::map<int, WarpStarted> starts() const {
        std::map<int, WarpStarted> found;
        for (const Event& event : events)
            if (const auto* started = std::get_if<WarpStarted>(&event))
                found[started->warp] = *started;
        return found;
    }
};

/// Fails the test when the workload is refused or its log breaks a rule.
WorkloadRun run(const Workload& workload, const models::Architecture& machine,
                std::int64_t multiprocessors = 1, const RunOptions& options = {},
                const models::WarpPolicy& policy = {}) {
    WorkloadRun result;
    const auto prepared = WorkloadMachine::prepare(machine, workload, policy, multiprocessors);
    if (!prepared) {
        ADD_FAILURE() << prepared.error().what;
        return result;
    }
    auto seen =
        prepared.value()->run(options, [&](const Event& event) { result.events.push_back(event); });
    if (!seen) {
        ADD_FAILURE() << seen.error().what;
        return result;
    }
    result.observation = std::move(seen.value());
    EXPECT_THAT(tests::violations(workload, machine, policy,
                                  {result.events, result.observation.makespan,
                                   static_cast<int>(multiprocessors), std::nullopt}),
                IsEmpty())
        << "seed " << options.seed << ", draw " << to_string(options.draw);
    return result;
}

std::string refusal(const Workload& workload, const models::Architecture& machine,
                    const StatedLaunchCost& cost = {}) {
    const auto prepared = WorkloadMachine::prepare(machine, workload, {}, 1, cost);
    return prepared ? std::string{} : prepared.error().what;
}

// Rules of Amert et al., RTSS 2017, by their names there.

TEST(AmertG1, AnOperationEntersItsStreamWhenTheCallIsMade) {
    const auto program = short_program();
    const Workload workload{
        {program.kernel()},
        {launch(0, stream_a, 40), launch(0, stream_a, 10), to_device(5, stream_b)}};
    auto machine = host_machine();
    set(machine.transfers, "call", 20'000); // 20 cycles.
    const auto result = run(workload, machine);
    EXPECT_EQ(result[0].issued, 40);
    EXPECT_EQ(result[1].issued, 60);
    EXPECT_EQ(result[2].issued, 80);
    EXPECT_EQ(result[2].queued, 80);
}

TEST(AmertG2, AKernelEntersTheExecutionQueueAtTheHeadOfItsStream) {
    const auto program = short_program();
    const Workload workload{{program.kernel()}, {to_device(90, stream_a), launch(0, stream_a)}};
    const auto result = run(workload, host_machine());
    EXPECT_EQ(result[0].started, 0);
    EXPECT_EQ(result[0].ended, 100); // 10 and 90 bytes.
    EXPECT_EQ(result[1].issued, 0);
    EXPECT_EQ(result[1].queued, 100);
    EXPECT_EQ(result[1].started, 200); // The launch cost.
}

// Three blocks on an SM of two: the last one goes out when one has ended.
TEST(AmertG3, AKernelLeavesTheExecutionQueueWhenItIsFullyDispatched) {
    const auto program = short_program();
    const Workload workload{{program.kernel({3, 32}), program.kernel()},
                            {launch(0, stream_a), launch(1, stream_b)}};
    const auto result = run(workload, host_machine());
    const auto starts = result.starts();
    EXPECT_EQ(result[0].started, 100);
    EXPECT_EQ(result[0].dispatched, starts.at(2).placed);
    EXPECT_GT(result[0].dispatched, 100);
    EXPECT_EQ(starts.at(2).cycle, starts.at(2).placed + 55);
    EXPECT_GE(starts.at(3).placed, result[0].dispatched);
    EXPECT_LT(result[1].started, result[0].ended); // It is still running.
}

TEST(AmertG4, AKernelLeavesItsStreamWhenAllItsBlocksAreDone) {
    const auto program = short_program();
    const Workload workload{{program.kernel({3, 32})}, {launch(0, stream_a), launch(0, stream_a)}};
    const auto result = run(workload, host_machine());
    EXPECT_GT(result[0].ended, result[0].dispatched);
    EXPECT_EQ(result[1].queued, result[0].ended);
    EXPECT_EQ(result[1].started, result[0].ended + 100);
}

// The first kernel fills the SM's warps with its one block and has another; the second would fit
// beside it, yet it waits behind.
TEST(AmertX1, OnlyBlocksOfTheKernelAtTheHeadAreEligible) {
    const auto program = short_program();
    auto machine = host_machine();
    set(machine.limits, "max-warps", 6);
    const Workload workload{{program.kernel({2, 128}), program.kernel({1, 32})},
                            {launch(0, stream_a), launch(1, stream_b)}};
    const auto result = run(workload, machine);
    const auto starts = result.starts();
    EXPECT_GT(starts.at(4).placed, 100);
    EXPECT_EQ(starts.at(8).placed, starts.at(4).placed);
    auto alone = workload;
    alone.operations.pop_back();
    alone.operations.front() = launch(1, stream_b);
    EXPECT_EQ(run(alone, machine)[0].started, 100); // By itself it does not wait.
}

TEST(AmertR1ToR3, BlocksOfSeveralKernelsShareAnSmThatHasRoomForBoth) {
    const auto program = short_program();
    auto machine = host_machine();
    set(machine.limits, "shared-memory", 1000);
    set(machine.limits, "shared-memory-per-block", 1000);
    set(machine.limits, "shared-granularity", 1);
    set(machine.limits, "shared-reserved", 0);
    const auto together = [&](std::int64_t bytes) {
        const Workload workload{{program.kernel({1, 32, std::nullopt, 400}),
                                 program.kernel({1, 32, std::nullopt, bytes})},
                                {launch(0, stream_a), launch(1, stream_b)}};
        const auto starts = run(workload, machine).starts();
        return starts.at(0).placed == starts.at(1).placed &&
               starts.at(0).scheduler != starts.at(1).scheduler;
    };
    EXPECT_TRUE(together(600));
    EXPECT_FALSE(together(601));
}

TEST(AmertC1, ACopyEntersTheCopyQueueAtTheHeadOfItsStream) {
    const auto program = short_program();
    const Workload workload{{program.kernel()}, {launch(0, stream_a), to_host(7, stream_a)}};
    const auto result = run(workload, host_machine());
    EXPECT_EQ(result[0].ended, 140);
    EXPECT_EQ(result[1].queued, result[0].ended);
    EXPECT_EQ(result[1].ended, result[1].queued + 7);
}

TEST(AmertC2AndC3, TheCopyEngineTakesOneCopyAfterTheOther) {
    const auto program = short_program();
    const Workload workload{
        {program.kernel()},
        {to_device(90, stream_a), to_device(40, stream_b), to_host(5, 2), launch(0, 3)}};
    const auto one = run(workload, host_machine());
    EXPECT_EQ(one[0].started, 0);
    EXPECT_EQ(one[1].started, 100);
    EXPECT_EQ(one[2].started, 150);
    EXPECT_EQ(one[2].ended, 155);
    auto machine = host_machine();
    set(machine.transfers, "engines", 2);
    const auto two = run(workload, machine);
    EXPECT_EQ(two[1].started, 100);
    EXPECT_EQ(two[2].started, 0);
}

TEST(AmertC4, ACopyLeavesItsStreamWhenItHasEnded) {
    const auto program = short_program();
    const Workload workload{
        {program.kernel()},
        {to_device(90, stream_a), to_device(40, stream_b), launch(0, stream_b)}};
    const auto result = run(workload, host_machine());
    EXPECT_EQ(result[1].ended, 150);
    EXPECT_EQ(result[2].queued, 150);
}

TEST(AmertN1, WorkOfTheNullStreamWaitsForAllThatWasIssuedBefore) {
    const auto program = short_program();
    const Workload workload{{program.kernel()},
                            {to_device(90, stream_a), launch(0, stream_b), launch(0, null_stream)}};
    const auto result = run(workload, host_machine());
    EXPECT_EQ(result[1].started, 100);
    EXPECT_EQ(result[2].queued, std::max(result[0].ended, result[1].ended));
}

TEST(AmertN2, WorkOfOtherStreamsWaitsForTheNullStreamsThatWasIssuedBefore) {
    const auto program = short_program();
    const Workload workload{{program.kernel()},
                            {launch(0, null_stream), launch(0, stream_a), to_device(5, stream_b)}};
    const auto result = run(workload, host_machine());
    EXPECT_EQ(result[1].queued, result[0].ended);
    EXPECT_EQ(result[2].queued, result[0].ended);
}

// A launch with a store: its stream goes on when the entry has drained, 30 after the issue at 106.
TEST(Streams, GoOnWhenTheStoresOfAKernelHaveDrained) {
    auto program = straight_line({add(1, 0, 0), store_global(0, 0)});
    program.set_passes(1, 1, 1);
    auto machine = host_machine();
    set(machine.write_buffer, "drain", 500);
    const Workload workload{{program.kernel()}, {launch(0, stream_a), to_host(1, stream_a)}};
    const auto result = run(workload, machine);
    EXPECT_EQ(result[0].ended, 606);
    EXPECT_EQ(result[1].queued, 606);
}

TEST(LaunchCosts, OfKernelsInTheQueueOverlap) {
    const auto program = short_program();
    const Workload workload{{program.kernel()}, {launch(0, stream_a), launch(0, stream_b)}};
    const auto result = run(workload, host_machine());
    EXPECT_EQ(result[0].started, 100);
    EXPECT_EQ(result[1].started, 100);
}

TEST(LaunchCosts, AreDrawnOncePerLaunch) {
    const auto program = short_program();
    auto machine = host_machine();
    set(machine.blocks, "launch", Values{50, 60});
    const Workload workload{{program.kernel({2, 32})}, {launch(0, stream_a)}};
    std::set<std::int64_t> seen;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto result = run(workload, machine, 1, {.seed = seed, .draw = {}, .path = {}});
        seen.insert(result[0].started);
        EXPECT_EQ(result.starts().at(0).cycle, result.starts().at(1).cycle);
    }
    EXPECT_EQ(seen.size(), 11U);
}

// Two streams free at once: either kernel may come first.
TEST(Streams, ThatGoOnInOneCycleDoSoInAnyOrder) {
    const auto program = short_program();
    const Workload workload{{program.kernel({2, 32})},
                            {launch(0, null_stream), launch(0, stream_a), launch(0, stream_b)}};
    std::set<bool> first;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto result =
            run(workload, host_machine(), 1, {.seed = seed, .draw = {}, .path = {}});
        first.insert(result[1].started < result[2].started);
    }
    EXPECT_EQ(first.size(), 2U);
}

// 1234567 bytes at 10886200 kB/s and 1253000 kHz: 142098.5.. cycles; 3969 ns: 4973.2.
TEST(Copies, AreRoundedUpToCycles) {
    const auto program = short_program();
    auto machine = host_machine();
    set(machine.geometry, "core-clock", 1'253'000);
    set(machine.transfers, "host-to-device-start", 3969);
    set(machine.transfers, "host-to-device-bandwidth", 10'886'200);
    const Workload workload{{program.kernel()},
                            {to_device(1'234'567, stream_a), launch(0, stream_a)}};
    const std::int64_t start = (std::int64_t{3969} * 1'253'000 + 999'999) / 1'000'000;
    const std::int64_t bytes =
        (std::int64_t{1'234'567} * 1'253'000 + 10'886'199) / std::int64_t{10'886'200};
    EXPECT_EQ(start, 4974);
    EXPECT_EQ(run(workload, machine)[0].ended, start + bytes);
}

TEST(Workloads, OfOneLaunchThatCostsNothingAreThatLaunch) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Case test = random_case(seed);
        const Kernel kernel = test.program.kernel(test.launch);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const auto alone = Machine::prepare(test.machine, kernel).value()->run(options);
        const auto prepared = WorkloadMachine::prepare(
            test.machine, Workload{{kernel}, {launch(0, null_stream)}}, {}, 1, Range{0, 0});
        ASSERT_TRUE(prepared) << prepared.error().what;
        const auto seen = prepared.value()->run(options);
        ASSERT_TRUE(alone && seen) << "seed " << seed;
        EXPECT_EQ(seen.value().makespan, alone.value().execution_time.count()) << "seed " << seed;
    }
}

TEST(Workloads, NeedWhatTheirOperationsNeed) {
    const auto program = short_program();
    const Workload launches{{program.kernel()}, {launch(0, stream_a)}};
    const Workload copies{{program.kernel()},
                          {launch(0, stream_a), to_device(1, stream_a), to_host(1, stream_a)}};
    const auto without = [](models::ValueGroup models::Architecture::*group, const char* name) {
        auto machine = host_machine();
        auto& values = (machine.*group).values;
        values.erase(std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.name == name; }));
        return machine;
    };
    const auto unpriced = without(&models::Architecture::blocks, "launch");
    EXPECT_THAT(refusal(launches, unpriced), HasSubstr("blocks/launch"));
    EXPECT_THAT(refusal(launches, unpriced, Range{7, 9}), IsEmpty());
    const auto clockless = without(&models::Architecture::geometry, "core-clock");
    EXPECT_THAT(refusal(launches, clockless), IsEmpty());
    EXPECT_THAT(refusal(copies, clockless), HasSubstr("geometry/core-clock"));
    EXPECT_THAT(refusal(copies, without(&models::Architecture::transfers, "engines")),
                HasSubstr("transfers/engines"));
    EXPECT_THAT(refusal(copies, without(&models::Architecture::transfers, "device-to-host-start")),
                HasSubstr("transfers/device-to-host-start"));
    EXPECT_THAT(refusal(Workload{{program.kernel()}, {}}, host_machine()),
                HasSubstr("without a launch"));
}

// Only a run shows whether a block has to wait for room.
TEST(Workloads, AreRefusedWhereABlockWaitsAndItsStartIsUnknown) {
    const auto program = short_program();
    auto machine = host_machine();
    machine.blocks.values.clear();
    const auto outcome = [&](std::optional<std::size_t> second) {
        const Workload workload{{program.kernel({2, 32})},
                                {launch(0, stream_a), launch(0, second)}};
        const auto prepared = WorkloadMachine::prepare(machine, workload, {}, 1, Range{0, 0});
        const auto seen = prepared.value()->run({});
        return seen ? std::string{} : seen.error().what;
    };
    EXPECT_THAT(outcome(stream_a), IsEmpty());
    EXPECT_THAT(outcome(stream_b), HasSubstr("blocks/replacement"));
}

/// Kernels and operations drawn from a seed; the programs must stay where they are.
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
    auto made = std::make_unique<RandomWorkload>();
    if (seed % 4 == 0) {
        made->cached = random_accesses(seed);
        made->machine = made->cached->machine;
        models::Launch grid = made->cached->launch;
        grid.blocks = pick(1, 3);
        for (int kernel = 0; kernel < 2; ++kernel)
            made->workload.kernels.push_back(made->cached->program.kernel(grid));
    } else {
        made->cases.push_back(seed % 4 == 1 ? random_pipeline_case(seed) : random_case(seed));
        for (std::uint64_t other = 1; made->cases.size() < 3; ++other) {
            Case next = random_case(seed + 1000 * other);
            if (next.machine.issue_control == made->cases.front().machine.issue_control)
                made->cases.push_back(std::move(next));
        }
        made->machine = made->cases.front().machine;
        for (const Case& one : made->cases) {
            models::Launch grid = one.launch;
            grid.blocks = pick(1, 6);
            if (pick(0, 1) == 1) grid.registers = pick(1, 32);
            if (pick(0, 1) == 1) grid.shared_memory = pick(0, 8000);
            made->workload.kernels.push_back(one.program.kernel(grid));
        }
    }
    made->multiprocessors = pick(1, 3);
    const auto host = host_machine(made->multiprocessors);
    models::Architecture& machine = made->machine;
    machine.transfers = host.transfers;
    set(machine.geometry, "multiprocessors", made->multiprocessors);
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
            operation.kernel = engine() % made->workload.kernels.size();
        if (pick(0, 3) == 0) operation.at = pick(0, 2000);
        made->workload.operations.push_back(operation);
    }
    made->workload.operations.push_back(launch(0, stream_a));
    return made;
}

TEST(RandomWorkloads, ObeyTheContract) {
    const char* const policies[] = {"lrr",    "gto",
                                    "oldest", "two-level:active=3",
                                    "srr",    "variable-rate:fast=1,every=3,conserving"};
    for (std::uint64_t seed = 1; seed <= 240; ++seed) {
        const auto made = random_workload(seed);
        run(made->workload, made->machine, made->multiprocessors,
            {.seed = seed, .draw = all_draws[seed % 5], .path = {}},
            models::read_policy(policies[seed % 6]).value());
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomWorkloads, DoNotDependOnTheOrderOfComponents) {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        const auto made = random_workload(seed);
        const auto code = translate(made->machine, made->workload, {}, made->multiprocessors, {});
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
    const auto made = random_workload(3);
    const auto machine =
        WorkloadMachine::prepare(made->machine, made->workload, {}, made->multiprocessors);
    ASSERT_TRUE(machine);
    std::vector<WorkloadObservation> together(8);
    std::vector<std::thread> threads;
    for (std::size_t seed = 0; seed < together.size(); ++seed)
        threads.emplace_back([&, seed] {
            together[seed] = machine.value()->run({.seed = seed, .draw = {}, .path = {}}).value();
        });
    for (auto& thread : threads)
        thread.join();
    for (std::size_t seed = 0; seed < together.size(); ++seed)
        EXPECT_EQ(machine.value()->run({.seed = seed, .draw = {}, .path = {}}).value(),
                  together[seed]);
}

/// Events of an operation and of warps, found for a plant.
struct WorkloadLog {
    std::vector<Event> events;

    std::int64_t* step(std::size_t operation, OperationStep step) {
        for (Event& event : events)
            if (auto* found = std::get_if<OperationStepped>(&event);
                found && found->operation == operation && found->step == step)
                return &found->cycle;
        ADD_FAILURE() << "no such step";
        return nullptr;
    }
    void sort() {
        std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
            const auto cycle = [](const Event& event) {
                return std::visit([](const auto& what) { return what.cycle; }, event);
            };
            return cycle(a) < cycle(b);
        });
    }
    /// Changes the start of every warp from `first` to `last`.
    void starts(int first, int last, const std::function<void(WarpStarted&)>& change) {
        for (Event& event : events)
            if (auto* started = std::get_if<WarpStarted>(&event);
                started && started->warp >= first && started->warp <= last)
                change(*started);
    }
};

// Planted in a log that is right, each error is found by its rule.
TEST(EventChecker, FindsWrongWorkloads) {
    const auto program = short_program();
    const auto machine = host_machine();
    // Kernel 0 takes the SM and waits for it with its third block; kernel 1 comes behind it.
    const Workload workload{{program.kernel({3, 32}), program.kernel()},
                            {launch(0, stream_a), launch(1, stream_b), to_device(90, 2),
                             to_device(40, 3), launch(1, stream_a), launch(1, null_stream)}};
    const auto right = run(workload, machine);
    struct Plant {
        std::string rule;
        std::string name;
        std::function<void(WorkloadLog&)> plant;
    };
    const auto add_to = [](std::size_t operation, OperationStep step, std::int64_t cycles) {
        return [=](WorkloadLog& log) { *log.step(operation, step) += cycles; };
    };
    const std::vector<Plant> plants{
        {"C32", "is issued late", add_to(3, OperationStep::Issued, 5)},
        {"C33", "passes over its stream", add_to(4, OperationStep::Queued, -1)},
        {"C33", "enters its queue late", add_to(4, OperationStep::Queued, 1)},
        {"C33", "does not wait for others before the NULL stream",
         add_to(5, OperationStep::Queued, -1)},
        {"C33", "leaves its stream late", add_to(4, OperationStep::Left, 1)},
        {"C33", "never leaves",
         [](WorkloadLog& log) {
             std::erase_if(log.events, [](const Event& event) {
                 const auto* step = std::get_if<OperationStepped>(&event);
                 return step && step->operation == 5 && step->step == OperationStep::Left;
             });
         }},
        {"C34", "is not fully dispatched", add_to(0, OperationStep::Dispatched, -1)},
        {"C34", "pays too little for its launch",
         [](WorkloadLog& log) {
             log.starts(0, 1, [](WarpStarted& started) { started.placed -= 1; });
         }},
        {"C34", "overtakes the head",
         [](WorkloadLog& log) {
             log.starts(3, 3, [](WarpStarted& started) { started.placed = 100; });
             *log.step(1, OperationStep::Dispatched) = 100;
         }},
        {"C34", "starts without replacement",
         [](WorkloadLog& log) {
             log.starts(2, 2, [](WarpStarted& started) { started.placed += 1; });
         }},
        {"C30", "takes a place twice",
         [](WorkloadLog& log) {
             log.starts(1, 1, [](WarpStarted& started) { started.scheduler = started.place = 0; });
         }},
        {"C36", "begins before the copy before it has ended",
         add_to(3, OperationStep::Started, -1)},
        {"C36", "is too short",
         [](WorkloadLog& log) {
             *log.step(3, OperationStep::Ended) -= 1;
             *log.step(3, OperationStep::Left) -= 1;
         }},
        {"C2", "completes late", add_to(1, OperationStep::Ended, 1)},
    };
    for (const Plant& plant : plants) {
        WorkloadLog log{right.events};
        plant.plant(log);
        log.sort();
        EXPECT_THAT(tests::violations(workload, machine, {},
                                      {log.events, right.observation.makespan, 1, std::nullopt}),
                    Contains(testing::StartsWith(plant.rule)))
            << plant.name;
    }
    auto cheap = machine;
    set(cheap.blocks, "launch", 99);
    EXPECT_THAT(
        tests::violations(workload, cheap, {}, {right.events, right.observation.makespan, 1, {}}),
        Contains(HasSubstr("C34")));
    auto wide = machine;
    set(wide.limits, "max-blocks", 3);
    EXPECT_THAT(
        tests::violations(workload, wide, {}, {right.events, right.observation.makespan, 1, {}}),
        Contains(HasSubstr("has room")));
    EXPECT_THAT(tests::violations(workload, machine, {},
                                  {right.events, right.observation.makespan + 1, 1, std::nullopt}),
                Contains(testing::StartsWith("C32")));
}

} // namespace
} // namespace warpbound::harness::simulator::test

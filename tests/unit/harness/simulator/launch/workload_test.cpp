// Launch costs, copies, and launches that share SMs (C32 to C36).

#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warpbound::harness::simulator::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A launch with a store: its stream continues when the entry has drained, 500 after the issue at
// 106.
TEST(Streams, ContinueWhenTheStoresOfAKernelHaveDrained) {
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

// Two streams continue in the same cycle: either kernel may come first.
TEST(Streams, ThatContinueInTheSameCycleDoSoInAnyOrder) {
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
        const auto expected = Machine::prepare(test.machine, kernel).value()->run(options);
        const auto prepared = WorkloadMachine::prepare(
            test.machine, Workload{{kernel}, {launch(0, null_stream)}}, {}, 1, Range{0, 0});
        ASSERT_TRUE(prepared) << prepared.error().what;
        const auto observed = prepared.value()->run(options);
        ASSERT_TRUE(expected && observed) << "seed " << seed;
        EXPECT_EQ(observed.value().makespan, expected.value().execution_time.count())
            << "seed " << seed;
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
    const auto without_cost = without(&models::Architecture::blocks, "launch");
    EXPECT_THAT(refusal(launches, without_cost), HasSubstr("blocks/launch"));
    EXPECT_THAT(refusal(launches, without_cost, Range{7, 9}), IsEmpty());
    const auto without_clock = without(&models::Architecture::geometry, "core-clock");
    EXPECT_THAT(refusal(launches, without_clock), IsEmpty());
    EXPECT_THAT(refusal(copies, without_clock), HasSubstr("geometry/core-clock"));
    EXPECT_THAT(refusal(copies, without(&models::Architecture::transfers, "engines")),
                HasSubstr("transfers/engines"));
    EXPECT_THAT(refusal(copies, without(&models::Architecture::transfers, "device-to-host-start")),
                HasSubstr("transfers/device-to-host-start"));
    EXPECT_THAT(refusal(Workload{{program.kernel()}, {}}, host_machine()),
                HasSubstr("without a launch"));
}

// C35: it is unknown which constants they share.
TEST(Workloads, OfSeveralLaunchesOverOneConstantCacheAreRefused) {
    const auto program = short_program();
    auto machine = host_machine();
    for (const auto& [name, value] : {std::pair{"sets", 1}, {"ways", 1}, {"line", 64}, {"miss", 9}})
        set_memory(machine, "constant", name, value);
    const Workload one{{program.kernel()}, {launch(0, stream_a)}};
    EXPECT_THAT(refusal(one, machine), IsEmpty());
    const Workload two{{program.kernel()}, {launch(0, stream_a), launch(0, stream_a)}};
    EXPECT_THAT(refusal(two, machine), HasSubstr("memories/constant"));
}

// Only the run determines whether a block has to wait for free resources.
TEST(Workloads, AreRefusedWhereABlockWaitsAndItsStartIsUnknown) {
    const auto program = short_program();
    auto machine = host_machine();
    machine.blocks.values.clear();
    const auto outcome = [&](std::optional<std::size_t> second) {
        const Workload workload{{program.kernel({2, 32})},
                                {launch(0, stream_a), launch(0, second)}};
        const auto prepared = WorkloadMachine::prepare(machine, workload, {}, 1, Range{0, 0});
        const auto observed = prepared.value()->run({});
        return observed ? std::string{} : observed.error().what;
    };
    EXPECT_THAT(outcome(stream_a), IsEmpty());
    EXPECT_THAT(outcome(stream_b), HasSubstr("blocks/replacement"));
}
} // namespace
} // namespace warpbound::harness::simulator::test

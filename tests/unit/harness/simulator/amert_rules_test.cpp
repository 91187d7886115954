// Queues of streams and engines: the rules of Amert et al., RTSS 2017, under their names (C33, C34,
// C36).

#include "tests/unit/harness/simulator/workloads.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness::simulator::test {
namespace {

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

// Three blocks on an SM with two block slots: the last one is dispatched when one has ended.
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

// The first kernel has a second block that does not fit. The second kernel would fit, yet it waits
// for the head of the queue.
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
    auto isolated = workload;
    isolated.operations.pop_back();
    isolated.operations.front() = launch(1, stream_b);
    EXPECT_EQ(run(isolated, machine)[0].started, 100); // Without the first kernel it does not wait.
}

TEST(AmertR1ToR3, BlocksOfSeveralKernelsShareAnSmThatFitsBoth) {
    const auto program = short_program();
    auto machine = host_machine();
    set(machine.limits, "shared-memory", 1000);
    set(machine.limits, "shared-memory-per-block", 1000);
    set(machine.limits, "shared-granularity", 1);
    set(machine.limits, "shared-reserved", 0);
    const auto are_co_resident = [&](std::int64_t bytes) {
        const Workload workload{{program.kernel({1, 32, std::nullopt, 400}),
                                 program.kernel({1, 32, std::nullopt, bytes})},
                                {launch(0, stream_a), launch(1, stream_b)}};
        const auto starts = run(workload, machine).starts();
        return starts.at(0).placed == starts.at(1).placed &&
               starts.at(0).scheduler != starts.at(1).scheduler;
    };
    EXPECT_TRUE(are_co_resident(600));
    EXPECT_FALSE(are_co_resident(601));
}

TEST(AmertC1, ACopyEntersTheCopyQueueAtTheHeadOfItsStream) {
    const auto program = short_program();
    const Workload workload{{program.kernel()}, {launch(0, stream_a), to_host(7, stream_a)}};
    const auto result = run(workload, host_machine());
    EXPECT_EQ(result[0].ended, 140);
    EXPECT_EQ(result[1].queued, result[0].ended);
    EXPECT_EQ(result[1].ended, result[1].queued + 7);
}

TEST(AmertC2AndC3, TheCopyEngineServesOneCopyAfterTheOther) {
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
} // namespace
} // namespace warpbound::harness::simulator::test

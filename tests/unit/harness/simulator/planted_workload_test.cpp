// The event checker finds errors planted in logs of workloads, by their rules.

#include "tests/unit/harness/simulator/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace warpbound::harness::simulator::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A log, with access to the events of an operation and of warps.
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

// Each error, planted in a correct log, is found by its rule.
TEST(EventChecker, FindsWrongWorkloads) {
    const auto program = short_program();
    const auto machine = host_machine();
    // Kernel 0 fills the SM and its third block waits; kernel 1 is queued after it.
    const Workload workload{{program.kernel({3, 32}), program.kernel()},
                            {launch(0, stream_a), launch(1, stream_b), to_device(90, 2),
                             to_device(40, 3), launch(1, stream_a), launch(1, null_stream)}};
    const auto correct = run(workload, machine);
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
        {"C33", "does not wait for its stream", add_to(4, OperationStep::Queued, -1)},
        {"C33", "enters its queue late", add_to(4, OperationStep::Queued, 1)},
        {"C33", "does not wait for other streams before the NULL stream",
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
        {"C30", "occupies a warp slot twice",
         [](WorkloadLog& log) {
             log.starts(1, 1,
                        [](WarpStarted& started) { started.scheduler = started.warp_slot = 0; });
         }},
        {"C36", "begins before the preceding copy has ended",
         add_to(3, OperationStep::Started, -1)},
        {"C36", "is too short",
         [](WorkloadLog& log) {
             *log.step(3, OperationStep::Ended) -= 1;
             *log.step(3, OperationStep::Left) -= 1;
         }},
        {"C2", "completes late", add_to(1, OperationStep::Ended, 1)},
    };
    for (const Plant& plant : plants) {
        WorkloadLog log{correct.events};
        plant.plant(log);
        log.sort();
        EXPECT_THAT(tests::violations(workload, machine, {},
                                      {log.events, correct.observation.makespan, 1, std::nullopt}),
                    Contains(testing::StartsWith(plant.rule)))
            << plant.name;
    }
    auto cheap = machine;
    set(cheap.blocks, "launch", 99);
    EXPECT_THAT(tests::violations(workload, cheap, {},
                                  {correct.events, correct.observation.makespan, 1, {}}),
                Contains(HasSubstr("C34")));
    auto wide = machine;
    set(wide.limits, "max-blocks", 3);
    EXPECT_THAT(tests::violations(workload, wide, {},
                                  {correct.events, correct.observation.makespan, 1, {}}),
                Contains(HasSubstr("fits an SM")));
    EXPECT_THAT(
        tests::violations(workload, machine, {},
                          {correct.events, correct.observation.makespan + 1, 1, std::nullopt}),
        Contains(testing::StartsWith("C32")));
}
} // namespace
} // namespace warpbound::harness::simulator::test

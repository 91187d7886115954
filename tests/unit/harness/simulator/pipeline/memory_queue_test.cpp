// Memory queues and the memory path (C71 to C74), against Huerta et al., MICRO 2025 (H25), Table 1.

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Four schedulers with the queue of an RTX A6000.
models::Architecture with_queue() {
    models::Architecture machine = small_machine(models::IssueControl::Encoded);
    set(machine.schedulers, "count", 4);
    set_memory(machine, "l1", "latency", 32);
    set(machine.memory_queue, "places", 5);
    set(machine.memory_queue, "interval", 4);
    set(machine.memory_queue, "path-interval", 2);
    for (auto& [opcode_class, timing] : machine.classes)
        if (timing.unit == "core-unit") {
            set(timing.values, "entry", 11);
            set(timing.values, "source-read", 11);
            set(timing.values, "initiation", 1);
        }
    return machine;
}

assembly::Instruction load(int to) {
    return with(load_global(to, 30), stall(1));
}

TestProgram loads(int count, std::int64_t passes = 1) {
    std::vector<assembly::Instruction> code;
    for (int i = 0; i < count; ++i)
        code.push_back(load(i));
    code.push_back(with(exit(), stall(1)));
    TestProgram program = program_of({code});
    for (int i = 0; i < count; ++i)
        program.set_passes(static_cast<std::size_t>(i), passes, passes, models::MemoryLevel::L1);
    return program;
}

/// Cycles in which the loads of each warp issue, counted as in H25 from 2 on.
std::vector<std::vector<std::int64_t>> issues_on(const models::Architecture& machine,
                                                 const TestProgram& program, int warps,
                                                 const RunOptions& options) {
    std::map<int, std::vector<std::int64_t>> found;
    for (const Event& event : run(program, machine, {1, 32 * warps}, options).events)
        if (const auto* issued = std::get_if<Issued>(&event);
            issued && issued->instruction + 1 < program.function.instructions.size())
            found[issued->warp].push_back(issued->cycle + 2);
    std::vector<std::vector<std::int64_t>> sorted;
    for (auto& [warp, cycles] : found)
        sorted.push_back(cycles);
    // Which sub-core is first is not determined.
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

std::vector<std::vector<std::int64_t>> issues(const TestProgram& program, int warps,
                                              std::uint64_t seed = 1) {
    return issues_on(with_queue(), program, warps,
                     {.seed = seed, .draw = Draw::Uniform, .path = {}});
}

TEST(MemoryQueue, TakesFiveLoadsInARowThenOneInFourCycles) {
    EXPECT_THAT(issues(loads(10), 1), ElementsAre(ElementsAre(2, 3, 4, 5, 6, 13, 17, 21, 25, 29)));
}

TEST(MemoryQueue, OfThreeSchedulersGetsTheMemoryPathEachSixCycles) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
        EXPECT_THAT(issues(loads(10), 3, seed),
                    ElementsAre(ElementsAre(2, 3, 4, 5, 6, 13, 19, 25, 31, 37),
                                ElementsAre(2, 3, 4, 5, 6, 15, 21, 27, 33, 39),
                                ElementsAre(2, 3, 4, 5, 6, 17, 23, 29, 35, 41)));
}

// The shipped description with its typical numbers, and lines that are present.
TEST(MemoryQueue, OfTheDescribedCardFollowsTheSameTable) {
    for (const char* name : {"ampere-rtxa6000", "ampere-rtx3060"}) {
        auto machine = models::load_architecture(name);
        ASSERT_TRUE(machine) << to_string(machine.error());
        machine.value().fetch = {};
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const RunOptions options{.seed = seed, .draw = Draw::Typical, .path = {}};
            EXPECT_THAT(issues_on(machine.value(), loads(10), 1, options),
                        ElementsAre(ElementsAre(2, 3, 4, 5, 6, 13, 17, 21, 25, 29)))
                << name;
            EXPECT_THAT(issues_on(machine.value(), loads(10), 3, options),
                        ElementsAre(ElementsAre(2, 3, 4, 5, 6, 13, 19, 25, 31, 37),
                                    ElementsAre(2, 3, 4, 5, 6, 15, 21, 27, 33, 39),
                                    ElementsAre(2, 3, 4, 5, 6, 17, 23, 29, 35, 41)))
                << name;
        }
    }
}

// 8 transactions occupy the path for 8 cycles.
TEST(MemoryQueue, WaitsForThePathThroughoutAllTransactions) {
    EXPECT_THAT(issues(loads(8, 8), 1), ElementsAre(ElementsAre(2, 3, 4, 5, 6, 13, 21, 29)));
}

// H25 5.4: 512 bits a cycle, 8 cycles for 128 bits of each lane; one of 32 bits hides behind the 4
// cycles between two hand-overs.
TEST(MemoryQueue, ReturnsFourRegistersInEightCycles) {
    models::Architecture machine = with_queue();
    set(machine.memory_queue, "load-return", 2);
    const auto issues_of = [&](const char* width, Draw draw) {
        TestProgram program = loads(8);
        for (auto& instruction : program.function.instructions)
            if (instruction.mnemonic == "LDG") {
                instruction.modifiers = {width};
                std::get<assembly::RegisterOperand>(instruction.operands.front()).index = 8;
            }
        assembly::set_effects(program.function);
        return run(program, machine, {1, 32}, {.seed = 1, .draw = draw, .path = {}}).issues();
    };
    for (const Draw draw : {Draw::AllLow, Draw::AllHigh})
        EXPECT_THAT(issues_of("32", draw), ElementsAre(0, 1, 2, 3, 4, 11, 15, 19, 20));
    EXPECT_THAT(issues_of("128", Draw::AllLow), ElementsAre(0, 1, 2, 3, 4, 11, 15, 19, 20));
    EXPECT_THAT(issues_of("128", Draw::AllHigh), ElementsAre(0, 1, 2, 3, 4, 11, 19, 27, 28));
}

/// Result of each load, counted from its issue.
std::vector<std::int64_t> latencies(const TestRun& result) {
    std::vector<std::int64_t> issued;
    std::vector<std::int64_t> found;
    for (const Event& event : result.events)
        if (const auto* issue = std::get_if<Issued>(&event))
            issued.push_back(issue->cycle);
        else if (const auto* done = std::get_if<Completed>(&event); done && done->instruction < 6)
            found.push_back(done->cycle - issued.at(static_cast<std::size_t>(done->number)));
    return found;
}

// Each of five loads in a row is handed over three cycles later than its issue allows. The sixth
// one issues when the first one is handed over, and waits for four others.
TEST(MemoryQueue, CountsLatenciesFromTheHandOver) {
    EXPECT_THAT(latencies(run(loads(6), with_queue())), ElementsAre(32, 35, 38, 41, 44, 41));
}

TEST(MemoryQueue, NeedsTheEntryOfEachClass) {
    models::Architecture machine = with_queue();
    auto& values = machine.classes[assembly::OpcodeClass::LoadGlobal].values.values;
    std::erase_if(values, [](const auto& value) { return value.name == "entry"; });
    const TestProgram program = loads(1);
    const auto refused = Machine::prepare(machine, program.kernel());
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("classes/load-global/entry"));
}

TEST(MemoryQueue, IsNotDescribedBesideOperandCollectors) {
    models::Architecture machine = with_queue();
    add_collectors(machine, [](std::string_view) { return 1; });
    const TestProgram program = loads(1);
    const auto refused = Machine::prepare(machine, program.kernel());
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("expected one of them"));
}

} // namespace
} // namespace warpbound::harness::simulator::test

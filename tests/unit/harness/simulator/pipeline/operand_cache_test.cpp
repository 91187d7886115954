// Constant operands in a cache of each scheduler, one rule at a time (C81 to C83).

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One scheduler and no limiting resource. Each cache has one set of two ways and lines of 64
/// bytes.
models::Architecture with_operand_cache(int miss = 100, int hold = 4) {
    models::Architecture machine = small_machine(models::IssueControl::Interlocked);
    set(machine.schedulers, "count", 1);
    set(machine.schedulers, "same-warp-interval", 1);
    set(machine.control_flow, "branch-taken", 1);
    set(machine.control_flow, "branch-not-taken", 1);
    for (auto& [opcode_class, timing] : machine.classes)
        set(timing.values, "initiation", 1);
    for (const auto& [name, value] :
         {std::pair{"sets", 1}, {"ways", 2}, {"line", 64}, {"miss", miss}, {"hold", hold}})
        set_memory(machine, "constant", name, value);
    return machine;
}

assembly::Instruction add_operand(int to, std::int64_t bank, std::int64_t offset) {
    auto instruction = add(to, 1, 1);
    instruction.operands[2] = constant(bank, offset);
    return instruction;
}

models::WarpPolicy policy_named(const char* name) {
    return models::read_policy(name).value();
}

// H25, RTX A6000: the first touch of a line issues 79 cycles later, also after an LDC of the line.
TEST(OperandCaches, DelayTheFirstTouchOfALineAlsoAfterItsLoad) {
    models::Architecture machine = with_operand_cache(79);
    set_class(machine, {assembly::OpcodeClass::LoadConstant, "alu", 26});
    const TestRun alone = run(program_of({{add_operand(8, 0, 0), exit()}}), machine);
    EXPECT_THAT(alone.issues(), ElementsAre(79, 80));
    const TestRun loaded = run(
        program_of({{make("LDC", assembly::OpcodeClass::LoadConstant, {reg(10), constant(0, 0)}),
                     add_operand(8, 0, 32), exit()}}),
        machine);
    EXPECT_THAT(loaded.issues(), ElementsAre(0, 1 + 79, 2 + 79));
}

// The second hits, the others miss, and the third line replaces the first.
TEST(OperandCaches, ReplaceTheLeastRecentlyUsedLine) {
    const TestRun result =
        run(program_of({{add_operand(8, 0, 0), add_operand(9, 0, 60), add_operand(10, 0, 64),
                         add_operand(11, 2, 0), add_operand(12, 0, 0), exit()}}),
            with_operand_cache());
    EXPECT_THAT(result.issues(), ElementsAre(100, 101, 202, 303, 404, 405));
}

// Both lines of an instruction are requested at once.
TEST(OperandCaches, BringAllLinesOfAnInstructionTogether) {
    auto two = add_operand(8, 0, 0);
    two.operands[1] = constant(0, 64);
    const TestRun result = run(program_of({{two, exit()}}), with_operand_cache());
    EXPECT_THAT(result.issues(), ElementsAre(100, 101));
}

// The scheduler issues nothing for four cycles, then the other warp, which needs no constant.
TEST(OperandCaches, HoldTheirSchedulerForSomeCycles) {
    for (const char* name : {"gto", "gty", "oldest"}) {
        std::vector<assembly::Instruction> code{add(9, 1, 1), add_operand(8, 0, 0)};
        for (int i = 0; i < 3; ++i)
            code.push_back(add(10 + i, 1, 1));
        code.push_back(exit());
        const TestRun result =
            run(program_of({code}), with_operand_cache(), {1, 64}, {}, policy_named(name));
        std::vector<std::int64_t> all = result.issues(0);
        const std::vector<std::int64_t> others = result.issues(1);
        all.insert(all.end(), others.begin(), others.end());
        std::sort(all.begin(), all.end());
        // In cycle 1 one warp looks up its line: a hold to cycle 5. Then the other issues, looks up
        // the line in its turn, and holds again. From 101 on the line is there.
        EXPECT_THAT(all, ElementsAre(0, 5, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110))
            << name;
    }
}

// A hold ends with the arrival of the line.
TEST(OperandCaches, HoldNoLongerThanTheMiss) {
    const TestRun result = run(program_of({{add_operand(8, 0, 0), exit()}}),
                               with_operand_cache(3, 50), {1, 64}, {}, policy_named("gto"));
    std::vector<std::int64_t> all = result.issues(0);
    const std::vector<std::int64_t> others = result.issues(1);
    all.insert(all.end(), others.begin(), others.end());
    std::sort(all.begin(), all.end());
    EXPECT_THAT(all, ElementsAre(3, 4, 5, 6));
}

TEST(OperandCaches, AreOfEachScheduler) {
    models::Architecture machine = with_operand_cache();
    set(machine.schedulers, "count", 2);
    const TestRun result = run(program_of({{add_operand(8, 0, 0), exit()}}), machine, {1, 64});
    EXPECT_THAT(result.issues(0), ElementsAre(100, 101));
    EXPECT_THAT(result.issues(1), ElementsAre(100, 101));
}

TEST(OperandCaches, AreNotLookedUpWhenPredicatedOff) {
    const TestRun result =
        run(program_of({{predicated_off(add_operand(8, 0, 0)), add_operand(9, 0, 0), exit()}}),
            with_operand_cache());
    EXPECT_THAT(result.issues(), ElementsAre(0, 101, 102));
}

TEST(OperandCaches, HoldTheLinesOfTheTextWhereTheyAreWarm) {
    models::Architecture machine = with_operand_cache();
    set_memory(machine, "constant", "warm", 1);
    const TestRun result =
        run(program_of({{add_operand(8, 0, 0), add_operand(9, 0, 64), exit()}}), machine);
    EXPECT_THAT(result.issues(), ElementsAre(0, 1, 2));
}

TEST(OperandCaches, NeedACompleteDescriptionAndKnownAddresses) {
    auto indexed = add_operand(8, 0, 0);
    std::get<assembly::ConstantOperand>(indexed.operands[2]).uniform_register = 4;
    EXPECT_THAT(refusal(program_of({{indexed, exit()}}), with_operand_cache()),
                HasSubstr("the address of its constant is in a register"));
    models::Architecture machine = small_machine(models::IssueControl::Interlocked);
    set_memory(machine, "constant", "hold", 4);
    EXPECT_THAT(refusal(program_of({{exit()}}), machine),
                HasSubstr("memories/constant/sets is absent"));
    machine = with_operand_cache();
    machine.memories.back().values.pop_back(); // hold
    set_memory(machine, "constant", "warm", 1);
    EXPECT_THAT(refusal(program_of({{exit()}}), machine),
                HasSubstr("memories/constant/warm without memories/constant/hold"));
}

} // namespace
} // namespace warpbound::harness::simulator::test

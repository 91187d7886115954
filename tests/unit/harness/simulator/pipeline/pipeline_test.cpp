// Instruction fetch, operand collectors and register banks, one rule at a time (C43 to C53).

#include "harness/simulator/clock/component.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One scheduler that can choose the same warp in every cycle, and no limiting resource.
models::Architecture unlimited_machine() {
    models::Architecture machine = small_machine(models::IssueControl::Interlocked);
    set(machine.schedulers, "count", 1);
    set(machine.schedulers, "same-warp-interval", 1);
    set(machine.control_flow, "branch-taken", 1);
    set(machine.control_flow, "branch-not-taken", 1);
    for (auto& [opcode_class, timing] : machine.classes)
        set(timing.values, "initiation", 1);
    return machine;
}

models::Architecture fetching(int buffer, int width) {
    models::Architecture machine = unlimited_machine();
    set(machine.fetch, "buffer", buffer);
    set(machine.fetch, "width", width);
    set(machine.fetch, "ports", 1);
    return machine;
}

/// Operand collectors that never limit, and `banks` banks of the register file.
models::Architecture collecting(int banks) {
    models::Architecture machine = unlimited_machine();
    add_collectors(machine, [](std::string_view name) { return name == "write-back" ? 2 : 8; });
    set(machine.register_file, "banks", banks);
    set_class(machine, {assembly::OpcodeClass::IntegerAdd, "alu", 4, 1});
    return machine;
}

models::ValueGroup& collector(models::Architecture& machine, std::string_view unit) {
    for (auto& group : machine.operand_collectors)
        if (group.name == unit) return group;
    throw std::out_of_range{"no such unit"};
}

template <typename EventType> std::vector<std::int64_t> cycles_of(const TestRun& run) {
    std::vector<std::int64_t> cycles;
    for (const Event& event : run.events)
        if (const auto* found = std::get_if<EventType>(&event)) cycles.push_back(found->cycle);
    return cycles;
}

/// When instruction `number` of warp 0 entered its unit.
std::int64_t unit_entry(const TestRun& run, std::int64_t number) {
    for (const Event& event : run.events)
        if (const auto* entered = std::get_if<UnitEntered>(&event);
            entered && entered->warp == 0 && entered->number == number)
            return entered->cycle;
    return never;
}

const std::vector<assembly::Instruction> four_adds{add(8, 1, 2), add(9, 3, 4), add(10, 5, 6),
                                                   add(11, 7, 7), exit()};

// Requested at 0, fetched at 1, issued from 2 on; after the pair the buffer is empty again.
TEST(Fetch, RefillsTheBufferOnlyWhenItIsEmpty) {
    const TestRun result = run(program_of({four_adds}), fetching(2, 2));
    EXPECT_THAT(cycles_of<InstructionsFetched>(result), ElementsAre(1, 4, 7));
    EXPECT_THAT(result.issues(), ElementsAre(2, 3, 5, 6, 8));
}

TEST(Fetch, IsNoFasterThanTheSmallerOfBufferAndWidth) {
    EXPECT_THAT(run(program_of({four_adds}), fetching(4, 1)).issues(), ElementsAre(2, 4, 6, 8, 10));
    EXPECT_THAT(run(program_of({four_adds}), fetching(4, 9)).issues(), ElementsAre(2, 3, 4, 5, 7));
}

TEST(Fetch, ServesOneWarpPerPortAndCycle) {
    const TestRun result = run(program_of({{exit()}}), fetching(2, 2), {1, 128});
    EXPECT_THAT(cycles_of<InstructionsFetched>(result), ElementsAre(1, 2, 3, 4));
}

// The branch leaves its successor in the buffer: it is flushed in the next cycle, then the target
// is fetched.
TEST(Fetch, StartsAgainAfterATakenBranch) {
    const auto branching =
        program_of({{branch()}, {add(8, 1, 2)}, {exit()}}, {{0, 2, assembly::EdgeKind::Taken}});
    EXPECT_THAT(run(branching, fetching(2, 2)).issues(), ElementsAre(2, 5));
    // With a buffer of one instruction the successor is fetched first.
    EXPECT_THAT(run(branching, fetching(1, 1)).issues(), ElementsAre(2, 6));
}

TEST(Fetch, WaitsForLinesThatTheCacheLacks) {
    models::Architecture machine = fetching(1, 1);
    set(machine.fetch, "cache-sets", 1);
    set(machine.fetch, "cache-ways", 1);
    set(machine.fetch, "cache-line", 16); // Two instructions.
    set(machine.fetch, "cache-miss", 100);
    const TestRun result = run(program_of({four_adds}), machine);
    EXPECT_THAT(cycles_of<InstructionsFetched>(result), ElementsAre(101, 103, 205, 207, 309));
    const auto first =
        std::find_if(result.events.begin(), result.events.end(),
                     [](const Event& event) { return std::holds_alternative<Issued>(event); });
    ASSERT_NE(first, result.events.end());
    EXPECT_EQ(std::get<Issued>(*first).stalls[Stall::Fetch], 102);
}

TEST(Fetch, SharesLinesAmongWarps) {
    models::Architecture machine = fetching(1, 1);
    set(machine.fetch, "cache-sets", 1);
    set(machine.fetch, "cache-ways", 1);
    set(machine.fetch, "cache-line", 16);
    set(machine.fetch, "cache-miss", 100);
    const TestRun result = run(program_of({{exit()}}), machine, {1, 96});
    EXPECT_THAT(cycles_of<InstructionsFetched>(result), ElementsAre(101, 102, 103));
}

/// Lines of two instructions, an L0 and an L1 of one line each, and no stream buffer.
models::Architecture with_instruction_caches() {
    models::Architecture machine = unlimited_machine();
    for (const auto& [name, value] : {std::pair{"line", 16},
                                      {"stream", 0},
                                      {"l0-sets", 1},
                                      {"l0-ways", 1},
                                      {"l0-miss", 20},
                                      {"l1-sets", 1},
                                      {"l1-ways", 1},
                                      {"l1-service", 2},
                                      {"l1-miss", 100}})
        set(machine.fetch, name, value);
    return machine;
}

// Each line misses both caches: 120 cycles from the issue before it.
TEST(InstructionCaches, DelayTheFirstInstructionOfEachLine) {
    const TestRun result = run(program_of({four_adds}), with_instruction_caches());
    EXPECT_THAT(result.issues(), ElementsAre(120, 121, 241, 242, 362));
}

// The two lines behind the first arrive 2 and 4 cycles after it.
TEST(InstructionCaches, StreamTheLinesBehindAMiss) {
    models::Architecture machine = with_instruction_caches();
    set(machine.fetch, "stream", 2);
    const TestRun result = run(program_of({four_adds}), machine);
    EXPECT_THAT(result.issues(), ElementsAre(120, 121, 122, 123, 124));
}

// Both schedulers ask for the one line; the L1 misses it once.
TEST(InstructionCaches, ShareTheL1AmongSchedulers) {
    models::Architecture machine = with_instruction_caches();
    set(machine.schedulers, "count", 2);
    const TestRun result = run(program_of({{exit()}}), machine, {1, 64});
    EXPECT_THAT((std::vector{result.issues(0).front(), result.issues(1).front()}),
                ElementsAre(120, 120));
}

// The other warp waits for the line that the first one has requested, and no longer.
TEST(InstructionCaches, MergeRequestsOfOneLine) {
    const TestRun result = run(program_of({{exit()}}), with_instruction_caches(), {1, 64});
    EXPECT_THAT(result.issues(0).front() + result.issues(1).front(), 241);
}

TEST(InstructionCaches, AreNotMixedWithFetchPorts) {
    models::Architecture machine = with_instruction_caches();
    set(machine.fetch, "buffer", 2);
    EXPECT_THAT(refusal(program_of({four_adds}), machine), HasSubstr("expected one of them"));
}

/// A constant cache of one set of two ways and lines of 64 bytes; a miss takes 100 cycles.
models::Architecture with_constants() {
    models::Architecture machine = unlimited_machine();
    for (const auto& [name, value] :
         {std::pair{"sets", 1}, {"ways", 2}, {"line", 64}, {"miss", 100}})
        set_memory(machine, "constant", name, value);
    return machine;
}

assembly::Instruction add_constant(int to, std::int64_t bank, std::int64_t offset) {
    auto instruction = add(to, 1, 1);
    instruction.operands[2] = constant(bank, offset);
    return instruction;
}

// The first misses; the second has no dependence and hits. The other lines miss, and the third line
// replaces the first.
TEST(Constants, DelayAnInstructionUntilItsLineIsPresent) {
    const TestRun result =
        run(program_of({{add_constant(8, 0, 0), add_constant(9, 0, 60), add_constant(10, 0, 64),
                         add_constant(11, 2, 0), add_constant(12, 0, 0), exit()}}),
            with_constants());
    EXPECT_THAT(result.issues(), ElementsAre(100, 101, 202, 303, 404, 405));
    for (const Event& event : result.events)
        if (const auto* issued = std::get_if<Issued>(&event); issued && issued->number < 2) {
            EXPECT_EQ(issued->stalls[Stall::Constant], issued->number == 0 ? 100 : 0);
        }
}

// The line is looked up when the registers are ready (18), not before.
TEST(Constants, AreLookedUpWhenNothingElseDelaysTheInstruction) {
    auto waiting = add_constant(9, 0, 0);
    waiting.operands[1] = reg(8);
    const TestRun result = run(program_of({{add(8, 1, 2), waiting, exit()}}), with_constants());
    EXPECT_THAT(result.issues(), ElementsAre(0, 118, 119));
}

TEST(Constants, DelayNoOtherWarp) {
    const TestRun result =
        run(program_of({{add_constant(8, 0, 0), add(9, 1, 1), exit()}}), with_constants(), {1, 64});
    EXPECT_THAT(result.issues(0), testing::Contains(testing::AnyOf(100, 101)));
    EXPECT_EQ(result.issues(0).front() + result.issues(1).front(), 201); // One miss serves both.
}

TEST(Constants, AreNotLookedUpWhenPredicatedOff) {
    const TestRun result =
        run(program_of({{predicated_off(add_constant(8, 0, 0)), add_constant(9, 0, 0), exit()}}),
            with_constants());
    EXPECT_THAT(result.issues(), ElementsAre(0, 101, 102));
}

// Eight lanes per line: the four lines of a load are looked up in the same cycle.
TEST(Constants, OfALoadAreThoseOfItsLanes) {
    models::Architecture machine = with_constants();
    set_memory(machine, "constant", "ways", 8);
    set_class(machine, {assembly::OpcodeClass::LoadConstant, "alu", 20});
    assembly::ConstantOperand indexed;
    indexed.bank = 3;
    indexed.index_register = 2;
    auto program =
        program_of({{make("LDC", assembly::OpcodeClass::LoadConstant, {reg(8), indexed}), exit()}});
    EXPECT_THAT(refusal(program, machine),
                HasSubstr("the address of its constant is in a register"));
    program.set_pattern(0).thread_stride = 8;
    const TestRun result = run(program, machine);
    EXPECT_THAT(result.issues().front(), 100);
    std::int64_t lines = 0;
    for (const Event& event : result.events)
        lines += std::holds_alternative<LineAccessed>(event) ? 1 : 0;
    EXPECT_EQ(lines, 4);
}

TEST(Constants, NeedACompleteDescription) {
    models::Architecture machine = unlimited_machine();
    set_memory(machine, "constant", "sets", 4);
    EXPECT_THAT(refusal(program_of({{exit()}}), machine),
                HasSubstr("memories/constant/ways is absent"));
}

// Issue, latch, read, exit, unit: 4 cycles; then latency 4 and write-back 2. EXIT reads nothing.
TEST(Collectors, AddTheStagesBeforeAndAfterTheUnit) {
    const TestRun result = run(program_of({{add(8, 1, 2), add(9, 8, 3), exit()}}), collecting(16));
    EXPECT_THAT(result.issues(), ElementsAre(0, 10, 11));
    EXPECT_THAT(cycles_of<UnitEntered>(result), ElementsAre(4, 14, 14));
}

TEST(Collectors, ReadABankOncePerCycle) {
    const auto entered = [](int a, int b) {
        return unit_entry(run(program_of({{add(8, a, b), exit()}}), collecting(16)), 0);
    };
    EXPECT_EQ(entered(1, 2), 4);
    EXPECT_EQ(entered(1, 17), 5); // The same bank.
    EXPECT_EQ(entered(1, 1), 4);  // The same register.
}

// R8 is written at 10, when the add that issues at 8 would read R24 of the same bank.
TEST(Collectors, WriteBeforeTheyRead) {
    const auto last_entry = [](int source) {
        std::vector<assembly::Instruction> code{add(8, 1, 2)};
        for (int filler = 0; filler < 7; ++filler)
            code.push_back(make("NOP", assembly::OpcodeClass::Nop));
        code.push_back(add(30, source, source));
        code.push_back(exit());
        return unit_entry(run(program_of({code}), collecting(16)), 8);
    };
    EXPECT_EQ(last_entry(25), 12);
    EXPECT_EQ(last_entry(24), 13);
}

TEST(Collectors, DoNotReadARegisterInTheReuseCache) {
    models::Architecture machine = small_machine(models::IssueControl::Encoded);
    add_collectors(machine, [](std::string_view) { return 8; });
    const auto reads = [&](bool reuse, int operand) {
        auto first = with(add(8, 1, 2), stall(1));
        auto second = with(operand == 1 ? add(9, 1, 3) : add(9, 3, 1), stall(1));
        if (reuse) std::get<assembly::RegisterOperand>(first.operands[1]).suffixes = {"reuse"};
        const TestRun result = run(program_of({{first, second, with(exit(), stall(1))}}), machine);
        return cycles_of<OperandRead>(result).size();
    };
    EXPECT_EQ(reads(false, 1), 4U);
    EXPECT_EQ(reads(true, 1), 3U);
    EXPECT_EQ(reads(true, 2), 4U); // Another operand.
}

TEST(Collectors, DelayTheIssueWhenTheirLatchIsFull) {
    models::Architecture machine = collecting(1); // All registers in one bank.
    for (const char* name : {"issue-slots", "entry-ports", "collectors"})
        set(collector(machine, "alu"), name, 1);
    const TestRun result = run(program_of({four_adds}), machine);
    // Two reads each: a collector is occupied from e to e + 3, and so is the latch before it.
    EXPECT_THAT(result.issues(), ElementsAre(0, 1, 4, 7, 8));
    for (const Event& event : result.events)
        if (const auto* issued = std::get_if<Issued>(&event); issued && issued->number == 2) {
            EXPECT_EQ(issued->stalls[Stall::Collector], 4);
        }
}

TEST(Collectors, LeaveOneResultPerSlotAndCycle) {
    models::Architecture machine = collecting(16);
    set(machine.register_file, "result-slots", 1);
    set_class(machine, {assembly::OpcodeClass::SpecialFunction, "core-unit", 3, 1});
    // Latency 4 from cycle 4 and latency 3 from cycle 5 would leave in the same cycle; EXIT is
    // first.
    const TestRun result = run(program_of({{add(8, 1, 2), cosine(9, 3), exit()}}), machine);
    EXPECT_THAT(cycles_of<Completed>(result), ElementsAre(7, 10, 11));
}

TEST(Collectors, CountResultsAfterTheEndOfTheWarp) {
    const TestRun result = run(program_of({{cosine(9, 3), exit()}}), collecting(16)); // Latency 22.
    EXPECT_EQ(result.observation.execution_time.count(), 4 + 22 + 2);
}

// The active set has one warp; it does not leave the set to wait for a special function (C19).
TEST(Collectors, KeepAWarpActiveThatWaitsForAShortOperation) {
    models::Architecture machine = collecting(8);
    machine.issue_control = models::IssueControl::Encoded;
    machine.target = assembly::Target{70};
    auto first = cosine(4, 0);
    first.control = stall(2);
    first.control->write_barrier = 0;
    auto second = float_add(5, 4, 4);
    second.control = stall(2);
    second.control->wait_mask = 1;
    auto last = exit();
    last.control = stall(2);
    const auto result = run(program_of({{first, second, last}}), machine, {1, 64}, {},
                            models::read_policy("two-level:active=1").value());
    EXPECT_GT(result.issues(1).front(), result.issues(0).back());
}

TEST(Collectors, AreRequiredForEveryUnitOfTheKernel) {
    models::Architecture machine = collecting(16);
    machine.operand_collectors.pop_back();
    EXPECT_THAT(refusal(program_of({{exit()}}), machine),
                HasSubstr("operand-collectors/control is absent"));
    models::Architecture bare = collecting(16);
    bare.register_file.values.clear();
    EXPECT_THAT(refusal(program_of({{exit()}}), bare), HasSubstr("register-file/banks is absent"));
}

} // namespace
} // namespace warpbound::harness::simulator::test

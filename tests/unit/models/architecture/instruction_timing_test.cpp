#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/reader.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "tests/unit/models/architecture/timed_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::models {
namespace {

using assembly::ControlFlow;
using assembly::Instruction;
using assembly::OpcodeClass;

using timed::machine;
using timed::timing_of;
using timed::unknown;
using timed::value;

Instruction instruction(OpcodeClass opcode_class, ControlFlow flow = ControlFlow::None) {
    Instruction made;
    made.address = 0x10;
    made.mnemonic = "OP";
    made.opcode_class = opcode_class;
    made.control_flow = flow;
    made.position.line = 7;
    assembly::RegisterOperand target;
    target.index = 4;
    if (flow == ControlFlow::None && opcode_class != OpcodeClass::StoreGlobal)
        made.operands = {target};
    return made;
}

Instruction stalled(Instruction made, int stall, bool dual = false) {
    made.control = assembly::Control{};
    made.control->stall = stall;
    made.control->dual_issue = dual;
    return made;
}

const Architecture interlocked = machine(IssueControl::Interlocked);
const Architecture encoded = machine(IssueControl::Encoded);

// Contract C4, interlocked: the same-warp interval.
TEST(InstructionTiming, TakesTheIntervalOfAnInterlockedMachine) {
    const auto timing = timing_of(instruction(OpcodeClass::Move), interlocked).value();
    EXPECT_EQ(timing.gap.lo, 6);
    EXPECT_EQ(timing.gap_taken.hi, 6);
    EXPECT_EQ(timing.latency.lo, 18);
    EXPECT_EQ(timing.initiation.hi, 3);
    EXPECT_EQ(timing.passes, (Interval{.lo = 1, .typical = 1, .hi = 1}));
    EXPECT_TRUE(timing.waits_for_registers);
    EXPECT_FALSE(timing.enters_write_buffer);
    EXPECT_EQ(timing.unit, 0U);
    EXPECT_THAT(timing.values_with_caveat, testing::ElementsAre("classes/move/latency (assumed)"));
}

// The machine's own range may be wider than that of its samples.
TEST(InstructionTiming, NamesARangeThatWasMeasured) {
    Architecture measured = interlocked;
    measured.classes.at(OpcodeClass::LoadShared).values.values = {
        value("latency", 26, 50, Grade::Measured), value("pass-cost", 2, 2, Grade::Measured),
        value("initiation", 2, 2, Grade::Measured)};
    EXPECT_THAT(
        timing_of(instruction(OpcodeClass::LoadShared), measured).value().values_with_caveat,
        testing::ElementsAre("classes/load-shared/latency (measured ranges, which may be "
                             "too narrow)"));
}

// One number that stands between the ends of samples is a range as well.
TEST(InstructionTiming, NamesANumberThatUnequalSamplesShowed) {
    Architecture measured = interlocked;
    auto between = value("latency", 30, 30, Grade::Measured);
    between.reason = "smallest and largest of the samples";
    measured.classes.at(OpcodeClass::LoadShared).values.values = {
        between, value("pass-cost", 2, 2, Grade::Measured),
        value("initiation", 2, 2, Grade::Measured)};
    EXPECT_THAT(
        timing_of(instruction(OpcodeClass::LoadShared), measured).value().values_with_caveat,
        testing::ElementsAre("classes/load-shared/latency (measured ranges, which may be "
                             "too narrow)"));
}

// Contract C4, encoded: the stall count, at least 1 unless the pair is dual-issued.
TEST(InstructionTiming, TakesTheStallCountOfAnEncodedMachine) {
    const auto move = instruction(OpcodeClass::Move);
    EXPECT_EQ(timing_of(stalled(move, 5), encoded).value().gap.lo, 5);
    EXPECT_EQ(timing_of(stalled(move, 0), encoded).value().gap.lo, 1);
    EXPECT_EQ(timing_of(stalled(move, 0, true), encoded).value().gap.lo, 0);
    EXPECT_EQ(timing_of(stalled(move, 2, true), encoded).value().gap.lo, 2);
    EXPECT_FALSE(timing_of(stalled(move, 5), encoded).value().waits_for_registers);
}

TEST(InstructionTiming, CountsTheBubbleOfAYield) {
    const auto gap = [](Architecture machine, int stall, bool yield, const char* mnemonic = "OP") {
        Instruction move = stalled(instruction(OpcodeClass::Move), stall);
        move.mnemonic = mnemonic;
        move.control->yield = yield;
        const auto timing = timing_of(move, machine);
        if (!timing) return to_string(timing.error());
        return std::to_string(timing.value().gap.lo) + ".." + std::to_string(timing.value().gap.hi);
    };
    Architecture encoded = machine(IssueControl::Encoded);
    EXPECT_EQ(gap(encoded, 1, true), "1..1");
    EXPECT_EQ(gap(encoded, 12, false), "12..12");
    encoded.schedulers.values.push_back(value("yield", 1, 1));
    EXPECT_EQ(gap(encoded, 0, true), "2..2");
    EXPECT_EQ(gap(encoded, 1, true), "2..2");
    EXPECT_EQ(gap(encoded, 2, true), "2..2");
    EXPECT_EQ(gap(encoded, 1, false), "1..1");
    EXPECT_EQ(gap(encoded, 11, false), "11..11");
    EXPECT_EQ(gap(encoded, 12, false), "1..12");
    EXPECT_EQ(gap(encoded, 12, true), "12..12");
    EXPECT_NE(gap(encoded, 0, true, "ERRBAR").find("control-flow/stall-zero-yield"),
              std::string::npos);
    encoded.control_flow.values.push_back(value("stall-zero-yield", 45, 46));
    EXPECT_EQ(gap(encoded, 0, true, "ERRBAR"), "45..46");
}

TEST(InstructionTiming, TakesNoDualIssueInFrontOfReadPorts) {
    Architecture encoded = machine(IssueControl::Encoded);
    const Instruction move = stalled(instruction(OpcodeClass::Move), 0, true);
    EXPECT_EQ(timing_of(move, encoded).value().gap.lo, 0);
    encoded.register_file.values.push_back(value("read-ports", 1, 1));
    EXPECT_EQ(timing_of(move, encoded).value().gap.lo, 1);
}

TEST(InstructionTiming, RefusesAnEncodedMachineWithoutControlField) {
    const auto refused = timing_of(instruction(OpcodeClass::Move), encoded);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().what, testing::HasSubstr("OP at 0x0010: no control field"));
    EXPECT_EQ(refused.error().line, 7);
}

// Contract C4: the larger of the plain gap and the branch's, by direction.
TEST(InstructionTiming, GivesControlTransfersTheLargerGap) {
    const auto branch = instruction(OpcodeClass::Branch, ControlFlow::Branch);
    const auto timing = timing_of(branch, interlocked).value();
    EXPECT_EQ(timing.gap.lo, 28);
    EXPECT_EQ(timing.gap_taken.lo, 32);
    EXPECT_EQ(timing_of(stalled(branch, 40), encoded).value().gap.lo, 40);
    EXPECT_EQ(timing_of(stalled(branch, 30), encoded).value().gap_taken.lo, 32);
    EXPECT_THAT(timing.values_with_caveat,
                testing::ElementsAre("control-flow/branch-taken (inferred)"));
    EXPECT_EQ(timing.latency, (Interval{.lo = 0, .typical = 0, .hi = 0}));
}

// Contract C4: pushes and sets transfer nothing; BSYNC that falls through and EXIT have the plain
// gap.
TEST(InstructionTiming, LeavesThePlainGapWhereNothingIsTransferred) {
    for (const auto flow :
         {ControlFlow::PushReconvergence, ControlFlow::PushBreak, ControlFlow::PushContinue,
          ControlFlow::PushReturn, ControlFlow::ConvergenceSet, ControlFlow::ConvergenceBreak}) {
        const auto timing =
            timing_of(instruction(OpcodeClass::Reconvergence, flow), interlocked).value();
        EXPECT_EQ(timing.gap.lo, 6);
        EXPECT_EQ(timing.gap_taken.lo, 6);
    }
    const auto wait =
        timing_of(instruction(OpcodeClass::Reconvergence, ControlFlow::ConvergenceWait),
                  interlocked)
            .value();
    EXPECT_EQ(wait.gap.lo, 6);
    EXPECT_EQ(wait.gap_taken.lo, 32);
    EXPECT_EQ(
        timing_of(instruction(OpcodeClass::Exit, ControlFlow::Exit), interlocked).value().gap.lo,
        6);
}

TEST(InstructionTiming, CountsEveryPopAsATransfer) {
    for (const auto flow :
         {ControlFlow::IndirectBranch, ControlFlow::Call, ControlFlow::Return,
          ControlFlow::PopReconvergence, ControlFlow::PopBreak, ControlFlow::PopContinue}) {
        const auto timing = timing_of(instruction(OpcodeClass::Branch, flow), interlocked).value();
        EXPECT_EQ(timing.gap.lo, 28);
        EXPECT_EQ(timing.gap_taken.lo, 32);
    }
}

// Contract C16: with level any, from the smallest lo to the largest hi of the three levels.
TEST(InstructionTiming, TakesALoadsLatencyFromItsLevel) {
    const auto load = instruction(OpcodeClass::LoadGlobal);
    const auto any = timing_of(load, interlocked).value();
    EXPECT_EQ(any.latency, (Interval{.lo = 30, .typical = std::nullopt, .hi = 500}));
    EXPECT_EQ(any.passes, (Interval{.lo = 1, .typical = std::nullopt, .hi = 32}));
    EXPECT_EQ(any.pass_cost.hi, 4);
    FlowFacts facts;
    facts.memory = {{.at = 0x10,
                     .transactions = CountRange{.min = 2, .max = 4},
                     .conflict_degree = std::nullopt,
                     .level = MemoryLevel::L2,
                     .from = {},
                     .pattern = {}}};
    const auto stated = timing_of(load, interlocked, facts).value();
    EXPECT_EQ(stated.latency.hi, 230);
    EXPECT_EQ(stated.passes, (Interval{.lo = 2, .typical = std::nullopt, .hi = 4}));
}

TEST(InstructionTiming, RefusesAnyLevelWhenOneIsUnknown) {
    Architecture architecture = interlocked;
    architecture.memories[1].values = {unknown("latency")};
    const auto refused = timing_of(instruction(OpcodeClass::LoadGlobal), architecture);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().what, "OP at 0x0010: memories/l2/latency is unknown in architecture "
                                    "m; state it with --assume memories/l2/latency=LO..HI");
    architecture.memories.erase(architecture.memories.begin() + 1);
    EXPECT_EQ(timing_of(instruction(OpcodeClass::LoadGlobal), architecture).error().what,
              "OP at 0x0010: memories/l2/latency is absent from architecture m; state it with "
              "--assume memories/l2/latency=LO..HI");
}

TEST(InstructionTiming, CountsConflictsOfSharedAccesses) {
    FlowFacts facts;
    facts.memory = {{.at = 0x10,
                     .transactions = CountRange{.min = 9, .max = 9},
                     .conflict_degree = CountRange{.min = 1, .max = 1},
                     .level = MemoryLevel::Any,
                     .from = {},
                     .pattern = {}}};
    const auto load = instruction(OpcodeClass::LoadShared);
    EXPECT_EQ(timing_of(load, interlocked, facts).value().passes.hi, 1);
    EXPECT_EQ(timing_of(load, interlocked, facts).value().pass_cost.hi, 0);
    EXPECT_EQ(timing_of(load, interlocked).value().passes.hi, 32);
    EXPECT_EQ(timing_of(load, interlocked).value().pass_cost.hi, 2);
}

// Contract C22 and C23.
TEST(InstructionTiming, TakesPassesFromAPattern) {
    Architecture architecture = interlocked;
    architecture.geometry.values = {value("warp-size", 32, 32)};
    FlowFacts facts;
    facts.memory.push_back(
        {.at = 0x10, .transactions = {}, .conflict_degree = {}, .from = {}, .pattern = {}});
    AddressPattern& pattern = facts.memory[0].pattern.emplace();
    pattern.thread_stride = 8;
    const auto load = instruction(OpcodeClass::LoadShared);
    EXPECT_THAT(timing_of(load, architecture, facts).error().what,
                testing::HasSubstr("memories/shared/banks is absent"));
    architecture.memories.push_back(
        {.name = "shared", .values = {value("banks", 32, 32), value("bank-width", 4, 4)}});
    EXPECT_EQ(timing_of(load, architecture, facts).value().passes,
              (Interval{.lo = 2, .typical = 2, .hi = 2}));
    facts.divergents.push_back({.at = 0, .from = {}}); // Then a subset of the lanes may access.
    EXPECT_EQ(timing_of(load, architecture, facts).value().passes,
              (Interval{.lo = 1, .typical = std::nullopt, .hi = 2}));
    facts.divergents.clear();
    const auto global = instruction(OpcodeClass::LoadGlobal);
    EXPECT_THAT(timing_of(global, architecture, facts).error().what,
                testing::HasSubstr("memories/l1/line is absent"));
    architecture.memories[0].values.push_back(value("line", 128, 128));
    const auto through = timing_of(global, architecture, facts).value();
    EXPECT_EQ(through.passes.lo, 2);
    EXPECT_TRUE(through.through_caches);
    EXPECT_EQ(through.latency, (Interval{.lo = 30, .typical = std::nullopt, .hi = 500}));
    auto strong = global;
    strong.modifiers = {"E", "STRONG", "GPU"};
    EXPECT_THAT(timing_of(strong, architecture, facts).error().what,
                testing::HasSubstr("a load that passes the L1 is not defined (C23)"));
    strong.modifiers = {"E", "STRONG", "CTA"};
    EXPECT_TRUE(timing_of(strong, architecture, facts).value().through_caches);
    facts.memory[0].level = MemoryLevel::L1;
    EXPECT_FALSE(timing_of(global, architecture, facts).value().through_caches);
    EXPECT_EQ(timing_of(global, architecture, facts).value().latency.hi, 35);
    architecture.memories[0].values.back() = value("line", 96, 96);
    EXPECT_THAT(timing_of(global, architecture, facts).error().what,
                testing::HasSubstr("needs a power of two"));
    // A lane that touches more than two lines would make more passes than are thought of.
    architecture.memories[0].values.back() = value("line", 2, 2);
    EXPECT_THAT(timing_of(global, architecture, facts).error().what,
                testing::HasSubstr("at least the 4 bytes of a lane"));
}

TEST(InstructionTiming, CountsPassesOfAConstantLoadByItsIndexRegister) {
    auto load = instruction(OpcodeClass::LoadConstant);
    load.operands.emplace_back(assembly::ConstantOperand{});
    EXPECT_EQ(timing_of(load, interlocked).value().passes.hi, 1);
    std::get<assembly::ConstantOperand>(load.operands.back()).index_register = 2;
    EXPECT_EQ(timing_of(load, interlocked).value().passes.hi, 32);
    // RZ is the same in all lanes.
    std::get<assembly::ConstantOperand>(load.operands.back()).index_register = -1;
    EXPECT_FALSE(counts_passes(load));
}

// Contract C15.
TEST(InstructionTiming, SendsStoresThroughTheWriteBuffer) {
    const auto store = instruction(OpcodeClass::StoreGlobal);
    const auto timing = timing_of(store, interlocked).value();
    EXPECT_TRUE(timing.enters_write_buffer);
    EXPECT_EQ(timing.latency.hi, 0);
    EXPECT_THAT(timing.values_with_caveat, testing::ElementsAre("write-buffer/drain (assumed)"));
    Architecture architecture = interlocked;
    architecture.write_buffer.values = {value("entries", 8, 8)};
    EXPECT_THAT(timing_of(store, architecture).error().what,
                testing::HasSubstr("write-buffer/drain is absent"));
}

// Contract C14: only an instruction that names a read barrier needs its source-read time.
TEST(InstructionTiming, NeedsSourceReadOnlyForAReadBarrier) {
    auto load = stalled(instruction(OpcodeClass::LoadShared), 2);
    EXPECT_EQ(timing_of(load, encoded).value().source_read.hi, 0);
    load.control->read_barrier = 1;
    EXPECT_EQ(timing_of(load, encoded).value().source_read.hi, 11);
    auto move = stalled(instruction(OpcodeClass::Move), 2);
    move.control->read_barrier = 1;
    EXPECT_THAT(timing_of(move, encoded).error().what,
                testing::HasSubstr("classes/move/source-read is absent"));
}

// Contract C112: of loads that pass the L1, lines of which few sectors are touched.
TEST(InstructionTiming, TakesNoLongerForLinesThanForTheSectorsThatLanesTouch) {
    Architecture architecture = interlocked;
    auto& of_load = architecture.classes[OpcodeClass::LoadGlobal].values.values;
    of_load.push_back(value("line-interval", 2, 24));
    of_load.push_back(value("sector-interval", 2, 7));
    architecture.memories[0].values.push_back(value("line", 128, 128));
    architecture.memories[0].values.push_back(value("sector", 32, 32));
    auto load = instruction(OpcodeClass::LoadGlobal);
    load.modifiers = {"E", "CG"};
    const auto longest = [&](std::int64_t fewest, std::int64_t most,
                             std::optional<CountRange> sectors = {}) {
        FlowFacts facts;
        facts.memory = {{.at = 0x10,
                         .transactions = CountRange{.min = fewest, .max = most},
                         .conflict_degree = std::nullopt,
                         .level = MemoryLevel::Any,
                         .from = {},
                         .pattern = {},
                         .sectors = sectors}};
        return timing_of(load, architecture, facts).value().line_interval->hi;
    };
    EXPECT_EQ(longest(32, 32), 7);                                // A sector of each line.
    EXPECT_EQ(longest(16, 16), 14);                               // 32 sectors.
    EXPECT_EQ(longest(16, 32), 14);                               // Of 16 lines or more.
    EXPECT_EQ(longest(1, 32), 24);                                // All in one line.
    EXPECT_EQ(longest(2, 2), 24);                                 // Four sectors of each.
    EXPECT_EQ(longest(2, 2, CountRange{.min = 5, .max = 5}), 18); // 35 cycles for two lines.
    load.modifiers = {"E"};
    EXPECT_EQ(longest(32, 32), 24); // A miss of the L1 may fetch whole lines.
    load.modifiers = {"E", "CG"};
    architecture.memories[0].values.push_back(value("lines-per-pass", 4, 4));
    EXPECT_EQ(longest(32, 32), 24); // Fewer transactions than lines.
    architecture.memories[0].values.pop_back();
    of_load.back() = value("sector-interval", 1, 1);
    EXPECT_THAT(timing_of(load, architecture).error().what,
                testing::HasSubstr("classes/load-global/sector-interval of architecture m is up to "
                                   "1; expected at least 2, the least of a line"));
}

TEST(InstructionTiming, KnowsWhichBarrierWaits) {
    Architecture architecture = interlocked;
    EXPECT_THAT(timing_of(instruction(OpcodeClass::Barrier), architecture).error().what,
                testing::HasSubstr("classes/barrier/latency is absent"));
    architecture.classes[OpcodeClass::Barrier].values.values.push_back(value("latency", 5, 60));
    auto barrier = instruction(OpcodeClass::Barrier);
    barrier.modifiers = {"SYNC"};
    EXPECT_TRUE(timing_of(barrier, architecture).value().is_barrier_wait);
    barrier.modifiers = {"ARV"};
    EXPECT_FALSE(timing_of(barrier, architecture).value().is_barrier_wait);
}

TEST(InstructionTiming, NamesWhatIsMissing) {
    EXPECT_EQ(timing_of(instruction(OpcodeClass::Texture), interlocked).error().what,
              "OP at 0x0010: classes/texture is absent from architecture m");
    EXPECT_EQ(timing_of(instruction(OpcodeClass::Double), interlocked).error().what,
              "OP at 0x0010: classes/double/latency is unknown in architecture m; state it with "
              "--assume classes/double/latency=LO..HI");
    EXPECT_THAT(timing_of(instruction(OpcodeClass::Unknown), interlocked).error().what,
                testing::HasSubstr("the opcode is not known"));
    EXPECT_THAT(
        timing_of(instruction(OpcodeClass::Branch, ControlFlow::Unknown), interlocked).error().what,
        testing::HasSubstr("where control goes"));
    EXPECT_THAT(timing_of(instruction(OpcodeClass::AtomicGlobal), interlocked).error().what,
                testing::HasSubstr("classes/atomic-global/pass-cost is absent"));
}

// C57: an atomic without a result may have a time of its own at the L2.
TEST(InstructionTiming, OfAGlobalAtomicHasItsTimeAtTheL2) {
    Architecture architecture = interlocked;
    architecture.classes[OpcodeClass::AtomicGlobal].values.values.push_back(
        value("pass-cost", 1, 8));
    auto atomic = instruction(OpcodeClass::AtomicGlobal);
    atomic.mnemonic = "ATOMG";
    auto reduction = atomic;
    reduction.mnemonic = "RED";
    EXPECT_EQ(timing_of(atomic, architecture).value().slice_time.hi, 9);
    EXPECT_EQ(timing_of(reduction, architecture).value().slice_time.hi, 9);
    architecture.memories[1].values.push_back(value("reduction", 1, 2));
    EXPECT_EQ(timing_of(atomic, architecture).value().slice_time.hi, 9);
    EXPECT_EQ(timing_of(reduction, architecture).value().slice_time.hi, 2);
    EXPECT_TRUE(is_atomic_at_l2(timing_of(reduction, architecture).value()));
    EXPECT_FALSE(is_atomic_at_l2(timing_of(instruction(OpcodeClass::Move), architecture).value()));
    architecture.memories[1].values.erase(architecture.memories[1].values.begin() + 1);
    EXPECT_THAT(timing_of(atomic, architecture).error().what,
                testing::HasSubstr("memories/l2/atomic is absent"));
    EXPECT_EQ(timing_of(reduction, architecture).value().slice_time.hi, 2);
}

// C22: at least by lines, at most by sectors.
TEST(InstructionTiming, OfAGlobalAtomicCountsLinesOrSectors) {
    LaneAddresses lanes;
    lanes.active = all_lanes(32);
    for (std::size_t lane = 0; lane < 32; ++lane)
        lanes.address[lane] = 4 * lane;
    const AccessRule by_line{.rule = PassRule::GlobalAtomic, .line = 128};
    EXPECT_EQ(possible_passes(by_line, lanes), (PassRange{1, 1}));
    const AccessRule by_sector{.rule = PassRule::GlobalAtomic, .line = 128, .sector = 32};
    EXPECT_EQ(possible_passes(by_sector, lanes), (PassRange{1, 4}));
    lanes.address.fill(64);
    EXPECT_EQ(possible_passes(by_sector, lanes), (PassRange{32, 32}));
    const AccessRule load{.rule = PassRule::Lines, .line = 128, .sector = 32};
    EXPECT_EQ(possible_passes(load, lanes), (PassRange{1, 1}));
}

} // namespace
} // namespace warpbound::models

#include "assembly/isa/reader.hpp"
#include "models/architecture/instruction_form.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/architecture/self_check.hpp"
#include "models/architecture/value_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace warpbound::models {
namespace {

using testing::Contains;
using testing::HasSubstr;

assembly::Program program_of(const std::string& instruction, int sm = 86) {
    auto read = assembly::read_program({"test", "!Arch sm_" + std::to_string(sm) + "\n!Kernel k\n" +
                                                    instruction +
                                                    " ?trans5;\nEXIT ?trans5;\n!EndKernel\n"});
    EXPECT_TRUE(read) << to_string(read.error());
    return std::move(read).value();
}

std::string form_of(const std::string& instruction, int sm = 86) {
    const auto form =
        instruction_form(program_of(instruction, sm).functions.front().instructions.front());
    return form ? form->name + "/" + std::to_string(form->words) : "none";
}

TEST(InstructionForm, IsWidthAndKindOfAddress) {
    EXPECT_EQ(form_of("LDG.E R4, [R2.64]"), "regular-32/1");
    EXPECT_EQ(form_of("LDG.E.64.CONSTANT R4, [R2.64+0x10]"), "regular-64/2");
    EXPECT_EQ(form_of("LDG.E.128 R4, desc[UR4][R2.64]", 90), "regular-128/4");
    EXPECT_EQ(form_of("LDG.E.128 R4, [UR4]"), "uniform-128/4");
    EXPECT_EQ(form_of("STG.E.64 [UR4+0x268], R6"), "uniform-64/2");
    EXPECT_EQ(form_of("STG.E [R2.64], R6"), "regular-32/1");
    EXPECT_EQ(form_of("LDS.U.128 R4, [R2.X16]"), "regular-128/4");
    EXPECT_EQ(form_of("LDS R4, [UR4]"), "uniform-32/1");
    EXPECT_EQ(form_of("STS.64 [R3], R4"), "regular-64/2");
    EXPECT_EQ(form_of("LDC R4, c[0x0][0x160]"), "immediate-32/1");
    EXPECT_EQ(form_of("LDC.64 R4, c[0x3][R2]"), "regular-64/2");
    EXPECT_EQ(form_of("LDC.64 R4, c[0x3][R2+0x8]"), "regular-64/2");
    EXPECT_EQ(form_of("LDGSTS.E.BYPASS.128 [R12], [R2.64]"), "copy/4");
}

TEST(InstructionForm, IsUnknownOfWhatWasNotMeasured) {
    for (const char* instruction :
         {"LDG.E.U8 R4, [R2.64]", "LDG.E.S16 R4, [R2.64]", "LDG.E R4, [R2.64+UR4]",
          "LDG.E.STRONG.SYS R4, [R2.64]", "LDS R4, [0x30]", "LDS R4, [RZ+0x30]",
          "LDC R4, c[0x3][RZ]", "LDC R4, c[0x3][UR4]", "ULDC.64 UR4, c[0x0][0x118]", "LDL R4, [R1]",
          "LD.E R4, [R2.64]", "LDSM.16.M88.4 R4, [R2]", "ATOMS.ADD R4, [R2], R3",
          "IMAD R4, R2, R3, R5", "IMAD.MOV.U32 R4, RZ, RZ, R5", "MOV R4, R5", "ERRBAR"})
        EXPECT_EQ(form_of(instruction), "none") << instruction;
}

TEST(InstructionForm, IsTheDoubleWidthOfAConversion) {
    for (const char* instruction :
         {"F2F.F64.F32 R2, R0", "F2F.F32.F64 R0, R2", "I2F.F64 R2, R0", "I2F.U64.RP R0, R2",
          "F2I.S64.TRUNC R2, R0", "F2I.U32.F64.TRUNC R0, R2", "FRND.F64.FLOOR R2, R2"})
        EXPECT_EQ(form_of(instruction), "double/1") << instruction;
    for (const char* instruction : {"I2F.U32.RP R0, R2", "F2I.FTZ.U32.TRUNC.NTZ R0, R2",
                                    "F2F.F16.F32 R0, R2", "FRND.FLOOR R0, R2"})
        EXPECT_EQ(form_of(instruction), "none") << instruction;
}

TEST(InstructionForm, DoubleWidthTakesNoOtherTimeInItsStead) {
    auto machine = load_architecture("turing-t4").value();
    const auto program = program_of("F2F.F64.F32 R2, R0", 75);
    const auto timing = [&] {
        return instruction_timings(program.functions.front(), machine, {}, 32).front();
    };
    ASSERT_TRUE(timing()) << to_string(timing().error());
    EXPECT_EQ(timing().value().initiation.hi, 64);
    auto& values = machine.classes.at(assembly::OpcodeClass::Conversion).values.values;
    std::erase_if(values, [](const auto& value) { return value.name == "initiation-double"; });
    ASSERT_FALSE(timing());
    EXPECT_THAT(timing().error().what, HasSubstr("classes/conversion/initiation-double"));
}

TEST(InstructionForm, IsTheScopeOfAFenceAndTheDoubleWidthOfAProduct) {
    EXPECT_EQ(form_of("MEMBAR.SC.CTA"), "cta/1");
    EXPECT_EQ(form_of("MEMBAR.ALL.GPU"), "gpu/1");
    EXPECT_EQ(form_of("MEMBAR.SC.SYS"), "sys/1");
    EXPECT_EQ(form_of("MEMBAR.SC.VC"), "none");
    EXPECT_EQ(form_of("IMAD.WIDE R4, R2, R3, R6"), "wide/1");
    EXPECT_EQ(form_of("IMAD.WIDE.U32 R4, R2, 0x4, R6"), "wide/1");
}

void put(Architecture& machine, const std::string& path, Interval interval) {
    SourcedValue value;
    value.interval = interval;
    value.source = "test";
    value.grade = Grade::Assumed;
    value.reason = "test";
    const auto set = set_value(machine, path, std::move(value));
    ASSERT_TRUE(set) << to_string(set.error());
}

/// One latency for all forms of shared loads, and another of one form.
Architecture machine() {
    Architecture made = load_architecture("turing-t4").value();
    put(made, "classes/load-shared/latency", {20, 24, 40});
    put(made, "classes/load-shared/source-read", {9, 9, 18});
    put(made, "classes/load-shared/pass-cost", {1, 2, 4});
    put(made, "classes/load-shared/latency-regular-128", {26, 26, 29});
    put(made, "classes/load-shared/source-read-uniform-32", {10, 10, 11});
    return made;
}

InstructionTiming timing_of(const std::string& instruction, const Architecture& architecture,
                            std::optional<CountRange> degree = CountRange{1, 1}) {
    const auto program = program_of(instruction, 75);
    FlowFacts facts;
    if (degree) {
        MemoryFact fact;
        fact.at = 0;
        fact.conflict_degree = degree;
        facts.memory.push_back(fact);
    }
    auto timing = instruction_timings(program.functions.front(), architecture, facts, 32).front();
    EXPECT_TRUE(timing) << to_string(timing.error());
    return std::move(timing).value();
}

TEST(InstructionForm, ReplacesTheValueOfAllForms) {
    const Architecture made = machine();
    EXPECT_EQ(timing_of("LDS.128 R4, [R2] &wr=0x0", made).latency,
              (Interval{26 - 3 * 1, 26 - 3 * 1, 29})); // Those of its width may be within it.
    EXPECT_EQ(timing_of("LDS.64 R4, [R2] &wr=0x0", made).latency, (Interval{20, 24, 40}));
    EXPECT_EQ(timing_of("LDS.128 R4, [UR4] &wr=0x0", made).latency, (Interval{20, 24, 40}));
    EXPECT_EQ(timing_of("LDS R4, [UR4] &rd=0x0", made).source_read, (Interval{10, 10, 11}));
    EXPECT_EQ(timing_of("LDS R4, [R2] &rd=0x0", made).source_read, (Interval{9, 9, 18}));
}

// Four transactions are 26 + 3 to 29 + 12, or the first one of them contains the others: 26 on.
TEST(InstructionForm, MayContainTheTransactionsOfItsWidth) {
    const auto four = timing_of("LDS.128 R4, [R2] &wr=0x0", machine(), CountRange{4, 4});
    EXPECT_EQ(four.latency, (Interval{26 - 3 * 1, 26 - 3 * 1, 29}));
    EXPECT_EQ(four.latency.lo + 3 * four.pass_cost.lo, 26);
    const auto two = timing_of("LDS.128 R4, [R2] &wr=0x0", machine(), CountRange{1, 2});
    EXPECT_EQ(two.latency.lo, 26 - 3) << "the value holds for the width, whatever it takes here";
    EXPECT_EQ(timing_of("LDS.128 R4, [R2] &wr=0x0", machine(), std::nullopt).latency.lo, 26 - 3);
}

TEST(InstructionForm, HoldsTheUnitOfAProductForLonger) {
    Architecture made = machine();
    put(made, "classes/integer-multiply/initiation", {2, 2, 2});
    put(made, "classes/integer-multiply/initiation-wide", {2, 2, 3});
    EXPECT_EQ(timing_of("IMAD R4, R2, R3, R5", made).initiation.hi, 2);
    EXPECT_EQ(timing_of("IMAD.WIDE R4, R2, R3, R6", made).initiation.hi, 3);
    EXPECT_EQ(timing_of("IMAD.WIDE R4, R2, R3, R6", made).initiation.lo, 2);
}

// C90: the stall count of a fence is 5, and nothing else makes its warp wait.
TEST(InstructionForm, OfAFenceHoldsItsWarp) {
    Architecture made = machine();
    put(made, "classes/memory-fence/initiation", {1, 1, 1});
    const auto program = program_of("MEMBAR.SC.GPU", 75);
    const auto unknown = instruction_timings(program.functions.front(), made, {}, 32).front();
    ASSERT_FALSE(unknown);
    EXPECT_THAT(to_string(unknown.error()), HasSubstr("classes/memory-fence/latency is unknown"));
    put(made, "classes/memory-fence/latency", {1, 1, 900});
    put(made, "classes/memory-fence/latency-cta", {3, 53, 90});
    EXPECT_EQ(timing_of("MEMBAR.SC.GPU", made).gap.lo, 5);
    EXPECT_EQ(timing_of("MEMBAR.SC.GPU", made).gap.hi, 900);
    put(made, "classes/memory-fence/latency-gpu", {700, 800, 900});
    EXPECT_EQ(timing_of("MEMBAR.SC.GPU", made).gap, (Interval{700, 800, 900}));
    EXPECT_EQ(timing_of("@P0 MEMBAR.SC.GPU", made).gap.lo, 5);
    EXPECT_EQ(timing_of("@P0 MEMBAR.SC.GPU", made).gap.hi, 900);
    EXPECT_EQ(timing_of("MEMBAR.SC.CTA", made).gap.hi, 90);
    EXPECT_EQ(timing_of("ERRBAR", made).gap.hi, 5);
}

// They take far longer than the votes and moves of their classes.
TEST(InstructionForm, IsToldByTheMnemonicOfMatchesReductionsAndMatrices) {
    Architecture made = machine();
    put(made, "classes/vote/latency", {4, 4, 16});
    put(made, "classes/vote/latency-match", {4, 4, 1024});
    const auto absent =
        instruction_timings(program_of("REDUX.SUM UR4, R3", 75).functions.front(), made, {}, 32)
            .front();
    ASSERT_FALSE(absent);
    EXPECT_THAT(to_string(absent.error()), HasSubstr("classes/vote/latency-reduction is absent"));
    put(made, "classes/vote/initiation-reduction", {2, 8, 16});
    put(made, "classes/vote/latency-reduction", {4, 60, 120});
    put(made, "classes/move/latency-matrix", {4, 4, 120});
    EXPECT_EQ(timing_of("VOTE.ANY R2, PT, PT", made).latency.hi, 16);
    EXPECT_EQ(timing_of("MATCH.ANY R2, R3", made).latency.hi, 1024);
    EXPECT_EQ(timing_of("REDUX.SUM UR4, R3", made).latency.hi, 120);
    EXPECT_EQ(timing_of("MOVM.16.MT88 R2, R3", made).latency.hi, 120);
    EXPECT_THAT(self_check(made), testing::Not(Contains(HasSubstr("of all forms"))));
}

TEST(InstructionForm, IsFoundOutsideTheIntervalOfAllForms) {
    Architecture made = machine();
    EXPECT_THAT(self_check(made), testing::Not(Contains(HasSubstr("load-shared"))));
    put(made, "classes/load-shared/latency-regular-128", {26, 26, 41});
    EXPECT_THAT(self_check(made), Contains("classes/load-shared: latency-regular-128 26..41 is "
                                           "not inside the latency of all forms"));
}

TEST(InstructionForm, IsAValueOfItsClassOnly) {
    Architecture made = machine();
    const auto set = assume_value(made, "classes/move/latency-regular-32=4");
    ASSERT_FALSE(set);
    EXPECT_THAT(to_string(set.error()), HasSubstr("latency-regular-32"));
    EXPECT_TRUE(assume_value(made, "memories/l1/latency-copy=39"));
}

} // namespace
} // namespace warpbound::models

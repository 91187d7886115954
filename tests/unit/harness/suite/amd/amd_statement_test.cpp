#include "harness/suite/amd/amd_statement.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

std::string names(const AmdInstruction& instruction) {
    std::string text;
    for (const AmdOperand& operand : instruction.operands) {
        text += operand.is_low_half ? "low " : "";
        for (const PtxRegister& reg : operand.registers)
            text += reg.name() + " ";
    }
    return text;
}

TEST(AmdStatement, HasTheInstructionOfAStatement) {
    const auto sum = amd_instruction_of("add.rn.f32 %f8, %f2, %f3;");
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum.value().form, "v_add_f32_e32 {0}, {1}, {2}");
    EXPECT_EQ(names(sum.value()), "%f8 %f2 %f3 ");
    EXPECT_EQ(sum.value().counter, AmdCounter::None);
    EXPECT_TRUE(amd_instruction_of("ex2.approx.ftz.f32 %f8, %f8;").value().is_transcendental);
    EXPECT_TRUE(amd_instruction_of("bar.sync 0;").value().is_scalar);
}

TEST(AmdStatement, HasAddressesWithTheirOffsets) {
    const auto load = amd_instruction_of("ld.volatile.global.v4.f32 {%f8, %f9, %f10, %f11}, "
                                         "[%global_by_16+384];");
    ASSERT_TRUE(load);
    EXPECT_EQ(names(load.value()), "%f8 %f9 %f10 %f11 %global_by_16 ");
    EXPECT_EQ(load.value().offset, 384);
    EXPECT_EQ(load.value().counter, AmdCounter::Vector);
    EXPECT_EQ(amd_instruction_of("st.volatile.global.f32 [%global_by_4], %f6;").value().counter,
              AmdCounter::Store);
    EXPECT_EQ(amd_instruction_of("ld.volatile.shared.f32 %f8, [%shared_by_1];").value().counter,
              AmdCounter::Lds);
}

// A register holds any type, and the low half of a pair is one.
TEST(AmdStatement, HasNoCopies) {
    const auto converted = amd_instruction_of("cvt.rn.f32.s32 %f8, %r8; mov.b32 %r8, %f8;");
    ASSERT_TRUE(converted);
    EXPECT_EQ(converted.value().form, "v_cvt_f32_i32_e32 {0}, {1}");
    EXPECT_EQ(names(converted.value()), "%r8 %r8 ");
    const auto step = amd_instruction_of("cvt.u32.u64 %part, %walk_by_128; "
                                         "add.rn.f32 %f9, %f9, %part;");
    ASSERT_TRUE(step);
    EXPECT_EQ(names(step.value()), "%f9 %f9 low %walk_by_128 ");
}

TEST(AmdStatement, RefusesWhatAmdHasNot) {
    const auto vote = amd_instruction_of("vote.ballot.b32 %r8, %p1;");
    ASSERT_FALSE(vote);
    EXPECT_EQ(vote.error().what, "no instruction of AMD does it");
    EXPECT_EQ(vote.error().where, "vote.ballot.b32 %r8, %p1;");
    EXPECT_FALSE(amd_instruction_of("mul.rn.f32 %f8, %f8, %f3; add.rn.f32 %f8, %f8, %f3;"));
    EXPECT_FALSE(amd_instruction_of("add.rn.f32 %f8, %f8;"));
}

} // namespace
} // namespace warpbound::harness

#include "assembly/amd/dual_issue.hpp"
#include "code.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpbound::assembly::amd {
namespace {

std::optional<std::array<Instruction, 2>> components(const std::string& text) {
    const auto function = function_of("gfx1100", text + "\n");
    EXPECT_TRUE(function) << to_string(function.error());
    return dual_components(function.value().instructions.at(0));
}

std::string written(const Instruction& instruction) {
    std::string text = instruction.mnemonic;
    for (const Operand& operand : instruction.operands)
        text += " " + std::get<TextOperand>(operand).text;
    return text;
}

TEST(DualComponents, AreTheTwoOperations) {
    const auto both = components("v_dual_mov_b32 v4, 0 :: v_dual_lshlrev_b32 v1, 3, v0");
    ASSERT_TRUE(both);
    EXPECT_EQ(written((*both)[0]), "v_mov_b32 v4 0");
    EXPECT_EQ(written((*both)[1]), "v_lshlrev_b32 v1 3 v0");
    EXPECT_EQ((*both)[0].opcode_class, OpcodeClass::Move);
    EXPECT_EQ((*both)[1].opcode_class, OpcodeClass::Shift);
    EXPECT_EQ((*both)[1].effects.writes, (std::vector<Register>{{RegisterFile::Vector, 1}}));
}

TEST(DualComponents, ChooseByVcc) {
    const auto both = components("v_dual_cndmask_b32 v4, v5, v6 :: v_dual_fmac_f32 v1, v2, v3");
    ASSERT_TRUE(both);
    EXPECT_EQ(written((*both)[0]), "v_cndmask_b32 v4 v5 v6 vcc_lo");
    EXPECT_EQ((*both)[1].opcode_class, OpcodeClass::FloatMultiplyAdd);
}

TEST(DualComponents, AreOfNoOtherInstruction) {
    EXPECT_FALSE(components("v_mov_b32 v4, 0"));
    EXPECT_FALSE(components("s_mov_b32 s4, 0"));
}

} // namespace
} // namespace warpbound::assembly::amd

#include "assembly/isa/operand_reader.hpp"
#include "assembly/isa/register_limits.hpp"

#include <gtest/gtest.h>

namespace warpbound::assembly {
namespace {

TEST(Operand, PrintsAsItWasWritten) {
    for (const char* text : {"R4",
                             "RZ",
                             "-R4",
                             "~R4",
                             "|R9|",
                             "-|R9|",
                             "R0.reuse",
                             "R7.H1.reuse",
                             "R8.64",
                             "P0",
                             "!P6",
                             "PT",
                             "!UPT",
                             "UR4",
                             "URZ",
                             "B3",
                             "CC",
                             "SB0",
                             "SR_TID.X",
                             "0x1f",
                             "-126",
                             "+INF",
                             "0.15915493667125701904",
                             "1.175494350822287508e-38",
                             "c[0x0][0x160]",
                             "-c[0x0][0x160]",
                             "~c[0x3][R2]",
                             "c[0x0][R2+0x10]",
                             "c[0x0][0x8].H1",
                             "|c[0x0][0x8]|",
                             "cx[UR4][0x0]",
                             "[R2]",
                             "[R8.64+0x4]",
                             "[R13+UR5]",
                             "[R2+-0x10]",
                             "[R2.X4+0x0]",
                             "[0x100]",
                             "desc[UR4][R8.64]",
                             "desc[UR4][R8.64+0x10]",
                             "2D",
                             "RGBA",
                             "R6 0x0",
                             "[R2+R3]"})
        EXPECT_EQ(print_operand(read_operand(text, false)), text);
}

TEST(Operand, IgnoresABlankInsideAConstant) {
    EXPECT_EQ(read_operand("c[0x0] [0x8].H1", false), read_operand("c[0x0][0x8].H1", false));
}

TEST(Operand, TakesASuffixAfterABar) {
    EXPECT_EQ(read_operand("|R3|.reuse", false), read_operand("|R3.reuse|", false));
}

TEST(Operand, IsALabelOnlyWhereOneIsExpected) {
    EXPECT_TRUE(std::holds_alternative<TargetOperand>(read_operand("loop", true)));
    EXPECT_TRUE(std::holds_alternative<TextOperand>(read_operand("loop", false)));
    EXPECT_TRUE(std::holds_alternative<TargetOperand>(read_operand("`(.L_x_1)", false)));
}

TEST(Operand, OfUnknownFormStaysText) {
    for (const char* text :
         {"", "!R4", "-P0", "[", "c[", "c[0x0]", "desc[R4][R2]", "`(", "R", "|R3"})
        EXPECT_TRUE(std::holds_alternative<TextOperand>(read_operand(text, false))) << text;
}

// R62 is the last register of Fermi, R254 that of Kepler and later; UR exist from Turing on.
TEST(RegisterLimits, FollowTheGeneration) {
    EXPECT_EQ(missing_register(read_operand("R62", false), Target{20}), std::nullopt);
    EXPECT_EQ(missing_register(read_operand("R63", false), Target{20}), "R63");
    EXPECT_EQ(missing_register(read_operand("[R254]", false), Target{35}), std::nullopt);
    EXPECT_EQ(missing_register(read_operand("[UR4]", false), Target{70}), "UR4");
    EXPECT_EQ(missing_register(read_operand("URZ", false), Target{75}), std::nullopt);
    EXPECT_EQ(missing_register(read_operand("UR63", false), Target{90}), "UR63");
    EXPECT_EQ(missing_register(read_operand("c[0x0][UR4]", false), Target{52}), "UR4");
    EXPECT_EQ(missing_register(read_operand("R255", false), Target{90}), "R255");
    EXPECT_EQ(missing_register(read_operand("P7", false), Target{90}), "P7");
    EXPECT_EQ(missing_register(read_operand("R99999999999", false), Target{90}), "R1073741824");
}

} // namespace
} // namespace warpbound::assembly

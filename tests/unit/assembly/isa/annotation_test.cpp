#include "assembly/isa/annotation.hpp"
#include "listings.hpp"

namespace warpbound::assembly {
namespace {

TEST(Annotation, GivesTheControlFieldOfABareInstruction) {
    const auto control =
        bare_instruction("FADD R4, R4, R5 &req={4,0} &wr=0x2 &rd=0x1 ?WAIT4_END_GROUP", "sm_90")
            .control;
    ASSERT_TRUE(control.has_value());
    // Bits 0 and 4 of the mask: 1 + 16.
    const Control expected{.stall = 4,
                           .yield = true,
                           .write_barrier = 2,
                           .read_barrier = 1,
                           .wait_mask = 17,
                           .reuse = 0};
    EXPECT_EQ(*control, expected);
}

TEST(Annotation, TakesTheListOfADependenceBarrierForItsMask) {
    const auto control =
        bare_instruction("DEPBAR.LE SB0, 0x1, {3,2} &req={5} ?trans4", "sm_86").control;
    ASSERT_TRUE(control.has_value());
    EXPECT_EQ(control->wait_mask, 0b101100);
    EXPECT_EQ(refusal("!Arch sm_86\nDEPBAR.LE SB0, 0x0, {6} ?trans4;\nEXIT ?trans4;\n").what,
              "'{6}' is no list of scoreboards; expected numbers from 0 to 5, as in {3,2}");
    for (const char* list : {"{3,}", "{,3}", "3", "{3"})
        EXPECT_EQ(scoreboards_of_list(list), std::nullopt) << list;
}

TEST(Annotation, WithTransDoesNotYield) {
    const auto control = bare_instruction("NOP ?trans11", "sm_52").control;
    ASSERT_TRUE(control.has_value());
    EXPECT_EQ(control->stall, 11);
    EXPECT_FALSE(control->yield);
}

TEST(Annotation, IsNotInventedWhereThereIsNone) {
    EXPECT_EQ(bare_instruction("FADD R4, R4, R5", "sm_90").control, std::nullopt);
}

TEST(Annotation, PrintsWhatItReads) {
    for (const char* text : {"?trans0", "?WAIT15_END_GROUP", "&req={0,5} &wr=0x5 &rd=0x0 ?trans3"})
        EXPECT_EQ(print_annotation(*bare_instruction(std::string{"NOP "} + text, "sm_90").control),
                  text);
}

TEST(Annotation, IsRefusedInAnUnknownForm) {
    for (const char* text : {"&req={6}", "&req=0", "&wr=0x6", "&wr=1", "?trans16", "?trans",
                             "&foo=1", "?WAIT_END_GROUP", "?trans1 ?trans2", "&wr=0x1 &wr=0x2"})
        EXPECT_EQ(refusal(std::string{"!Arch sm_90\nNOP "} + text + ";\n").line, 2) << text;
}

TEST(Annotation, OfABareInstructionNeedsTheStall) {
    const auto failure = refusal("!Arch sm_90\nNOP &req={1};\n");
    EXPECT_EQ(failure.line, 2);
    EXPECT_NE(failure.what.find("?transN"), std::string::npos);
}

TEST(Annotation, MayNotContradictTheEncoding) {
    const auto listing = [](const std::string& annotation) {
        // The high word says stall 5, bit 109 clear, wait mask 0x02.
        return cuobjdump("sm_120", "/*0000*/ IMAD R2, R3, 0x20, R4 " + annotation +
                                       "; /* 0x0000002003027824 */\n/* 0x002fca000f8e0200 */\n");
    };
    EXPECT_EQ(only_function(listing("&req={1} ?WAIT5_END_GROUP ")).instructions[0].control->stall,
              5);
    EXPECT_EQ(refusal(listing("&req={1} ?WAIT4_END_GROUP ")).line, 3);
    EXPECT_EQ(refusal(listing("&req={1} ?trans5 ")).line, 3);
    EXPECT_EQ(refusal(listing("?WAIT5_END_GROUP ")).line, 3);
}

} // namespace
} // namespace warpbound::assembly

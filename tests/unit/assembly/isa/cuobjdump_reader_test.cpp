#include "listings.hpp"

namespace warpbound::assembly {
namespace {

// The start of a sm_52 kernel: a control word, a dual-issued pair whose second encoding is on a
// line of its own, and a pair around a control word.
constexpr const char* maxwell = "/* 0x001c4400fe0007f6 */\n"
                                "/*0008*/ MOV R1, c[0x0][0x20] ; /* 0x4c98078000870001 */\n"
                                "/*0010*/ { MOV R6, c[0x0][0x154] ; /* 0x4c98078005570006 */\n"
                                "/*0018*/ S2R R9, SR_CTAID.X }\n"
                                "/* 0xf0c8000002570009 */\n"
                                "/* 0x001fc000e22007f0 */\n"
                                "/*0028*/ { MOV R10, c[0x0] [0x150].H1 ; /* 0x4c9807800547000a */\n"
                                "/*0030*/ S2R R7, SR_TID.X }\n"
                                "/* 0xf0c8000002170007 */\n"
                                "/*0038*/ { MOV R12, RZ ; /* 0x5c9807800ff7000c */\n"
                                "/* 0x001ffc00fe200734 */\n"
                                "/*0048*/ S2R R8, SR_CTAID.Y }\n"
                                "/* 0xf0c8000002670008 */\n";

TEST(Cuobjdump, PairsDualIssuedInstructionsWithTheirEncodings) {
    const auto function = only_function(cuobjdump("sm_52", maxwell));
    ASSERT_EQ(function.instructions.size(), 7U);
    ASSERT_EQ(function.control_words.size(), 3U);
    EXPECT_EQ(function.control_words[2].address, 0x40);
    EXPECT_EQ(function.instructions[2].encoding->low, 0xf0c8000002570009U);
    EXPECT_EQ(function.instructions[6].encoding->low, 0xf0c8000002670008U);
    // 0x001c4400fe0007f6: slots (6, 1), (0, 1), (1, 1, wr 0).
    EXPECT_EQ(function.instructions[0].control->stall, 6);
    EXPECT_TRUE(function.instructions[1].control->dual_issue);
    EXPECT_EQ(function.instructions[2].control->write_barrier, 0);
}

TEST(Cuobjdump, SurvivesPrinting) {
    expect_round_trip(read_program(text_of(cuobjdump("sm_52", maxwell))).value());
}

TEST(Cuobjdump, JoinsBothWordsOfALongInstruction) {
    const auto function =
        only_function(cuobjdump("sm_70", "/*0000*/ @P0 EXIT ; /* 0x000000000000094d */\n"
                                         "/* 0x000fea0003800000 */\n"
                                         "/*0010*/ NOP; /* 0x0000000000007918 */\n"
                                         "/* 0x000fc00000000000 */\n"));
    EXPECT_EQ(function.instructions[0].encoding->high, 0x000fea0003800000U);
    EXPECT_EQ(function.instructions[0].control->stall, 5);
    EXPECT_EQ(function.instructions[1].mnemonic, "NOP");
    EXPECT_EQ(function.step, 16);
}

// SSY 0x20 names the control word in front of the instruction at 0x28.
TEST(Cuobjdump, TakesATargetThatNamesAControlWord) {
    const auto function =
        only_function(cuobjdump("sm_52", "/* 0x001fc000e22007f0 */\n"
                                         "/*0008*/ SSY 0x20 ; /* 0xe290000001000000 */\n"
                                         "/*0010*/ @!P0 SYNC ; /* 0xf0f800000008000f */\n"
                                         "/*0018*/ NOP ; /* 0x50b0000000070f00 */\n"
                                         "/* 0x001fc000e22007f0 */\n"
                                         "/*0028*/ EXIT ; /* 0xe30000000007000f */\n"));
    EXPECT_EQ(std::get<TargetOperand>(function.instructions[0].operands.front()).address, 0x28);
    EXPECT_EQ(function.instructions[0].control_flow, ControlFlow::PushReconvergence);
}

TEST(Cuobjdump, HoldsOneKernelForSeveralTargets) {
    const std::string exit_75 =
        "/*0000*/ EXIT ; /* 0x000000000000794d */\n/* 0x000fea0003800000 */\n";
    const auto program = read_program(text_of(cuobjdump("sm_75", exit_75) +
                                              "Fatbin elf code:\n================\narch = sm_80\n" +
                                              cuobjdump("sm_80", exit_75)));
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    ASSERT_EQ(program.value().functions.size(), 2U);
    EXPECT_EQ(program.value().functions[1].target, Target{80});
    EXPECT_FALSE(find_function(program.value(), "kernel").has_value());
    EXPECT_FALSE(find_function(program.value(), "other").has_value());
}

// Guard bits per generation: 10-13 (sm_20), 18-21 (sm_35), 16-19 (sm_50), 12-15 (sm_70).
TEST(Cuobjdump, ComparesTheGuardWithTheEncoding) {
    const auto fermi = [](const std::string& text) {
        return cuobjdump("sm_20", "/*0000*/ " + text + "; /* 0x8000000000001de7 */\n");
    };
    EXPECT_FALSE(only_function(fermi("EXIT")).instructions[0].guard.has_value());
    EXPECT_EQ(refusal(fermi("@P0 EXIT")).line, 3);
    const auto kepler = [](const std::string& text) {
        return cuobjdump("sm_35", "/* 0x088cb8b0a0a08cac */\n/*0008*/ " + text +
                                      "; /* 0xc480000002202030 */\n");
    };
    EXPECT_TRUE(only_function(kepler("@!P0 LD.E R12, [R8]")).instructions[0].guard.has_value());
    EXPECT_EQ(refusal(kepler("@P0 LD.E R12, [R8]")).line, 4);
    const auto volta = [](const std::string& text) {
        return cuobjdump("sm_70", "/*0000*/ " + text +
                                      "; /* 0x000000000000f389 */\n/* 0x000fc00000000000 */\n");
    };
    EXPECT_TRUE(
        only_function(volta("@!PT SHFL.IDX PT, R0, R0, R0, R0")).instructions[0].guard->never());
    EXPECT_EQ(refusal(volta("SHFL.IDX PT, R0, R0, R0, R0")).line, 3);
}

} // namespace
} // namespace warpbound::assembly

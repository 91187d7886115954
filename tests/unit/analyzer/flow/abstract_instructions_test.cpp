/// \file
/// What abstract execution knows of the results of instructions.

#include "tests/unit/analyzer/flow/abstractly_executed.hpp"

#include <gmock/gmock.h>

#include <string>

namespace warpbound::analyzer {
namespace {

// for (size_t i = tid; i < 1000; i += 256): sums, carries and comparisons of pairs.
TEST(AbstractExecution, CountsWithPairsOfRegisters) {
    const auto loop = [](const char* start, const char* step) {
        return fmt::format("S2R R5, SR_TID.X; MOV R3, RZ; {}; L: IADD3 R2, P0, R2, {}, RZ; "
                           "IADD3.X R3, R3, RZ, RZ, P0, !PT; "
                           "ISETP.GE.U32.AND P0, PT, R2, 0x3e8, PT; "
                           "ISETP.GE.U32.AND.EX P0, PT, R3, RZ, PT, P0; @!P0 BRA L; EXIT;",
                           start, step);
    };
    EXPECT_EQ(executed(loop("IMAD.WIDE.U32 R2, R5, 0x1, RZ", "0x100"), {1, 128}), "4..4");
    EXPECT_EQ(executed(loop("IMAD.WIDE R2, R5, 0x4, RZ", "0x100"), {1, 128}), "2..4");
    // The sum carries: the upper word becomes 1, which is not below.
    EXPECT_EQ(executed(loop("MOV R2, 0xfffffff0", "0x10")), "1..1");
    // A carry flag is followed by nothing.
    EXPECT_EQ(executed("MOV R2, RZ; L: IADD3.X R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0x9, PT; "
                       "@P0 BRA L; EXIT;"),
              "?");
    // It may carry: nothing is known of the upper word.
    EXPECT_EQ(executed(loop("LDG.E R2, [R8]", "0x100")), "?");
    EXPECT_EQ(executed(loop("IMAD.WIDE.U32 R2, R5, -0x1, RZ", "0x100"), {1, 128}), "?");
}

// 4 and 0x3c000004, through the half-precision unit.
TEST(AbstractExecution, KnowsConstantsOfTheHalfPrecisionUnit) {
    const auto loop = [](const char* constant) {
        return fmt::format("MOV R4, RZ; {}; L: IADD3 R4, R4, 0x1, RZ; "
                           "ISETP.LT.AND P0, PT, R4, R2, PT; @P0 BRA L; EXIT;",
                           constant);
    };
    EXPECT_EQ(executed(loop("HFMA2.MMA R2, -RZ, RZ, 0, 2.384185791015625e-07")), "4..4");
    EXPECT_EQ(executed(loop("HFMA2.MMA R2, -RZ, RZ, -1.875, 2.384185791015625e-07")), "1..1");
    EXPECT_EQ(executed(loop("HFMA2.MMA R2, -RZ, RZ, 0, 2.4e-07")), "?") << "no half";
    EXPECT_EQ(executed(loop("HFMA2.MMA R2, -R4, RZ, 0, 2.384185791015625e-07")), "?");
    EXPECT_EQ(executed(loop("HFMA2.MMA R2, -RZ, RZ, 0x0, 0x4")), "?") << "bits or numbers";
    EXPECT_EQ(executed(loop("HFMA2.BF16_V2 R2, -RZ, RZ, 0, 1")), "?");
}

TEST(AbstractExecution, KnowsEachWordOfAWideLoad) {
    const auto bound = [](const char* load, const char* limit, const KernelParameters& words) {
        return executed(fmt::format("{}; MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; "
                                    "ISETP.LT.AND P0, PT, R2, {}, PT; @P0 BRA L; EXIT;",
                                    load, limit),
                        {1, 32}, words);
    };
    const KernelParameters words{{0x160, {5, 32}}, {0x164, {9, 32}}, {0x16c, {3, 32}}};
    EXPECT_EQ(bound("LDC.64 R4, c[0x0][0x160]", "R4", words), "5..5");
    EXPECT_EQ(bound("LDC.64 R4, c[0x0][0x160]", "R5", words), "9..9");
    EXPECT_EQ(bound("LDC.64 R4, c[0x0][0x160]", "R5", {{0x164, {9, 32}}}), "9..9");
    EXPECT_EQ(bound("LDC.64 R4, c[0x0][0x160]", "R5", {{0x160, {5, 32}}}), "?");
    EXPECT_EQ(bound("ULDC.64 UR4, c[0x0][0x160]", "UR5", words), "9..9");
    EXPECT_EQ(bound("LDCU.64 UR4, c[0x0][0x160]", "UR5", words), "9..9");
    EXPECT_EQ(bound("LDC.128 R4, c[0x0][0x160]", "R6", words), "?") << "not stated";
    EXPECT_EQ(bound("LDC.128 R4, c[0x0][0x160]", "R7", words), "3..3");
    EXPECT_EQ(bound("LDC.64 R4, c[0x0][R8+0x160]", "R5", words), "?");
    EXPECT_EQ(bound("LDC.U8 R4, c[0x0][0x160]", "R4", words), "1..255") << "a part of the word";
    EXPECT_EQ(bound("MOV R5, 0x6; @P3 LDC.64 R4, c[0x0][0x160]", "R5", words), "6..9");
}

// Whether the result is zero says nothing of what the register held before, nor of what that was
// computed from: threads 17 and beyond come to A.
TEST(AbstractExecution, KnowsNothingOfTheNumberThatAComparedResultReplaces) {
    const auto with = [](const std::string& replaces) {
        return executed("S2R R5, SR_TID.X; IADD3 R0, R5, -0x3, RZ; " + replaces +
                        "@P0 EXIT; ISETP.GT.AND P1, PT, R5, 0x10, PT; @P1 BRA A; EXIT; "
                        "A: FADD R2, R2, R2; EXIT;");
    };
    EXPECT_EQ(with("LOP3.LUT P0, R0, R0, 0x1, RZ, 0xc0, !PT; "), "");
    EXPECT_EQ(with("ISETP.NE.AND P0, PT, R0, RZ, PT; "), " -0x0070") << "thread 3 alone";
}

// Of the pair, 0 and a register, all bits above those of the negated register are ones.
TEST(AbstractExecution, KnowsNothingOfTheUpperWordOfANegatedPair) {
    const auto with = [](const std::string& lea) {
        return executed("S2R R5, SR_TID.X; LEA.HI" + lea +
                        "; ISETP.GE.AND P0, PT, R0, RZ, PT; @P0 EXIT; FADD R2, R2, R2; EXIT;");
    };
    EXPECT_EQ(with(" R0, R5, RZ, RZ, 0x1"), " -0x0040");
    EXPECT_EQ(with(" R0, -R5, RZ, RZ, 0x1"), "");
    EXPECT_EQ(with(".SX32 R0, -R5, RZ, 0x1"), "");
}

// From sm_100 on two predicates stand behind the result; the last one says which number is taken.
TEST(AbstractExecution, FollowsMinimumAndMaximumWithWrittenPredicates) {
    const auto loop = [](const std::string& least) {
        return executed("MOV R3, 0x9; VIMNMX R4, PT, PT, R3, 0x5, " + least +
                        "; MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, R4, PT; "
                        "@P0 BRA L; EXIT;");
    };
    EXPECT_EQ(loop("PT"), "5..5");
    EXPECT_EQ(loop("!PT"), "9..9");
}

TEST(AbstractExecution, KnowsBothWordsOfAZeroPair) {
    EXPECT_EQ(executed("LDG.E R3, [R6]; CS2R R2, SRZ; L: IADD3 R3, R3, 0x1, RZ; "
                       "ISETP.LT.AND P0, PT, R3, 0x5, PT; @P0 BRA L; EXIT;"),
              "5..5");
}

// Two votes in one basic block see the same active lanes.
TEST(AbstractExecution, KnowsThatTheActiveLanesStayTheSameInABlock) {
    const std::string vote = "L: VOTE.ANY R3, PT, PT; ";
    const std::string rest =
        "VOTEU.ANY UR4, UPT, PT; LOP3.LUT P0, RZ, R3, UR4, RZ, 0xc, !PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(executed(vote + rest), "1..1");
    EXPECT_EQ(executed(vote + "@P1 BRA M; M: " + rest), "?");
    // Under a guard fewer lanes vote, whatever is known of the guard of one lane.
    EXPECT_EQ(executed(vote + "@P1 VOTE.ANY R3, PT, PT; " + rest), "?");
    EXPECT_EQ(executed("S2R R0, SR_TID.X; ISETP.EQ.AND P1, PT, R0, RZ, PT; MOV R3, RZ; "
                       "@P1 VOTE.ANY R3, PT, PT; VOTE.ANY R4, PT, PT; MOV R5, RZ; "
                       "LOP3.LUT R4, R4, R3, RZ, 0x30, !PT; ISETP.NE.AND P2, PT, R4, RZ, P1; "
                       "@P2 MOV R5, 0x4; L: IADD3 R5, R5, -0x1, RZ; "
                       "ISETP.GT.AND P0, PT, R5, RZ, PT; @P0 BRA L; EXIT;"),
              "1..4");
}

// What is known of the mask of one vote is not known of the other.
TEST(AbstractExecution, CombinesMasksOfWhichOneIsKnownBetter) {
    const std::string votes = "MOV R5, RZ; VOTE.ANY R3, PT, PT; VOTE.ANY R4, PT, PT; "
                              "ISETP.LT.U32.AND P0, PT, R3, 0x8, PT; ";
    const std::string rest = "ISETP.NE.AND P1, PT, R5, RZ, PT; @P1 BRA M; EXIT; M: EXIT;";
    EXPECT_EQ(executed(votes + "@P0 LOP3.LUT R5, R3, R4, RZ, 0xfc, !PT; " + rest), "");
    EXPECT_EQ(executed(votes + "LOP3.LUT R5, R3, R4, RZ, 0x3c, !PT; " + rest), " -0x0080");
}

// 2^32 - 1 twice has one carry, and no second one.
TEST(AbstractExecution, TakesThePredicateBehindPTForTheSecondCarry) {
    const std::string rest = "@P1 BRA M; EXIT; M: EXIT;";
    const std::string sum = "MOV R6, 0xffffffff; IADD3 R3, ";
    EXPECT_EQ(executed(sum + "PT, P1, R6, R6, RZ; " + rest), "");
    EXPECT_EQ(executed(sum + "P1, PT, R6, R6, RZ; " + rest), " -0x0030");
}

// From Volta on IMAD.HI adds a pair; before, SHF.L is the upper word, too.
TEST(AbstractExecution, DoesNotReadCodeOfOldDevicesAsThatOfNewOnes) {
    const std::string product = "MOV R8, 0x5; MOV R9, RZ; ISETP.NE.AND P2, PT, R9, R10, PT; "
                                "@P2 BRA K; K: IMAD.HI R3, RZ, R7, R8; ";
    const std::string rest = "ISETP.NE.AND P1, PT, R3, RZ, PT; @P1 BRA M; EXIT; M: EXIT;";
    const auto of = [&](const std::string& body, Machine machine) {
        return executed(body + rest, {1, 32}, {}, Indices::Together, machine);
    };
    constexpr Machine fermi{"fermi-gtx470", 20};
    constexpr Machine maxwell{"maxwell-gtx970", 52};
    EXPECT_EQ(of(product, {}), " -0x0080");
    EXPECT_EQ(of(product, fermi), "");
    const std::string value = "MOV R6, 0x80000000; ";
    EXPECT_EQ(of(value + "SHF.L.U32 R3, R6, 0x1, RZ; ", {}), " -0x0050");
    EXPECT_EQ(of(value + "SHF.L R3, R6, 0x1, RZ; ", maxwell), "");
}

// The upper word of a pair that is negated.
TEST(AbstractExecution, NegatesThePairOfAStatedWord) {
    EXPECT_EQ(executed("MOV R3, RZ; LEA.HI R4, -c[0x0][0x160], R3, RZ, 0x1; "
                       "ISETP.EQ.AND P1, PT, R4, -0x1, PT; @P1 BRA M; EXIT; M: EXIT;",
                       {1, 32}, {{0x160, {0x5, 32}}}),
              "");
}

// Of several words one may be an extent in y or z.
TEST(BlockShape, IsReadByLoadsOfSeveralWordsToo) {
    const auto reads = [](const std::string& load) {
        const auto context = analyzed(load + "; EXIT;", {}, "turing-t4", 75);
        return reads_block_shape(*context->request.function);
    };
    EXPECT_TRUE(reads("ULDC.64 UR4, c[0x0][0x0]"));
    EXPECT_TRUE(reads("LDC.64 R4, c[0x0][0x8]"));
    EXPECT_TRUE(reads("LDC R4, c[0x0][0x4]"));
    EXPECT_FALSE(reads("ULDC UR4, c[0x0][0x0]"));
    EXPECT_FALSE(reads("ULDC.64 UR4, c[0x0][0xc]"));
}

// A lane that waits finds in a uniform register what others wrote.
TEST(AbstractExecution, KnowsUniformRegistersOnlyWhereNoLaneWaits) {
    const std::string head = "UMOV UR4, 0x1; L: LDG.E R9, [R6]; ISETP.NE.AND P2, PT, R9, RZ, PT; "
                             "BSSY B0, D; @P2 BRA D; ";
    const std::string tail = "ISETP.LE.AND P1, PT, 0x20, UR4, PT; @!P1 BRA L; EXIT;";
    EXPECT_EQ(executed(head + "NOP; D: BSYNC B0; USHF.L.U32 UR4, UR4, 0x1, URZ; " + tail), "5..5");
    EXPECT_EQ(executed(head + "USHF.L.U32 UR4, UR4, 0x1, URZ; D: BSYNC B0; " + tail), "?");
}

} // namespace
} // namespace warpbound::analyzer

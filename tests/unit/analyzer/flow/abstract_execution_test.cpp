#include "tests/unit/analyzer/flow/abstractly_executed.hpp"

#include <gmock/gmock.h>

#include <string>

namespace warpbound::analyzer {
namespace {

TEST(AbstractExecution, BoundsShiftLoops) {
    EXPECT_EQ(executed("MOV R3, 0x80; L: SHF.R.U32.HI R3, RZ, 0x1, R3; "
                       "ISETP.NE.AND P1, PT, R3, RZ, PT; @P1 BRA L; EXIT;"),
              "8..8");
    EXPECT_EQ(executed("UMOV UR4, 0x1; L: USHF.L.U32 UR4, UR4, 0x1, URZ; "
                       "ISETP.LE.AND P1, PT, 0x200, UR4, PT; @!P1 BRA L; EXIT;"),
              "9..9");
}

// Converged lanes fall through: a branch without a guard that asks which lanes are active (C102).
TEST(AbstractExecution, TakesBothWaysBehindBranchesOnActiveLanes) {
    for (const char* branch : {"BRA.DIV OTHER", "BRA.DIV ~URZ, OTHER", "BRA.CONV ~URZ, OTHER"})
        EXPECT_EQ(executed("MOV R3, 0x5; ISETP.NE.AND P1, PT, R3, RZ, PT; " + std::string{branch} +
                           "; SHFL.UP PT, R4, R5, 0x1, RZ; JOIN: EXIT; OTHER: BRA JOIN;"),
                  "")
            << branch;
    // One lane's predicate does not say whether any holds.
    EXPECT_EQ(executed("MOV R3, 0x2; L: IADD3 R3, R3, -0x1, RZ; ISETP.NE.AND P1, PT, R3, RZ, PT; "
                       "@P1 BRA.U.ANY L; EXIT;"),
              "?");
}

// A register that holds a counter here and data there: only the counter decides.
TEST(AbstractExecution, FollowsARegisterThatIsUsedForDataElsewhere) {
    EXPECT_EQ(executed("MOV R3, 0x5; L: LDS R1, [R8]; FADD R4, R1, R1; IADD3 R3, R3, -0x1, RZ;"
                       "ISETP.NE.AND P1, PT, R3, RZ, PT; @P1 BRA L; MOV R1, 0x3;"
                       "K: IADD3 R1, R1, -0x1, RZ; ISETP.NE.AND P1, PT, R1, RZ, PT; @P1 BRA K;"
                       "EXIT;"),
              "5..5 3..3");
}

// What a branch says of a number holds, though another register that was compared is overwritten.
TEST(AbstractExecution, KeepsWhatABranchSaysWhereDataOverwriteWhatWasCompared) {
    EXPECT_EQ(executed("S2R R3, SR_TID.X; IADD3 R1, R3, 0x1, RZ; ISETP.LT.AND P0, PT, R1, 0x8, PT;"
                       "LDS R1, [R8]; @!P0 EXIT; L: IADD3 R3, R3, 0x1, RZ;"
                       "ISETP.LT.AND P1, PT, R3, 0x8, PT; @P1 BRA L; EXIT;"),
              "2..8");
}

// A sorting network: the inner loop's iterations depend on the outer one.
TEST(AbstractExecution, BoundsNestedLoopsByAllTheirEntries) {
    EXPECT_EQ(executed("MOV R0, 0x2; K: MOV R4, R0; J: MOV R6, R4; SHF.R.S32.HI R4, RZ, 0x1, R4; "
                       "ISETP.GT.AND P0, PT, R6, 0x3, PT; @P0 BRA J; SHF.L.U32 R0, R0, 0x1, RZ; "
                       "ISETP.GT.AND P0, PT, R0, 0x200, PT; @!P0 BRA K; EXIT;"),
              "9..9 1..9");
}

// The compiler unrolls by 4 and keeps the remainder: 18 iterations are 4 rounds and 2 more.
TEST(AbstractExecution, FollowsUnrolledLoopsWithParameters) {
    const std::string code =
        "IADD3 R0, RZ, c[0x0][0x160], RZ; LOP3.LUT R5, R0, 0x3, RZ, 0xc0, !PT; "
        "IADD3 R6, R0, -0x1, RZ; ISETP.GE.U32.AND P1, PT, R6, 0x3, PT; @!P1 BRA M; "
        "IADD3 R0, R0, -R5, RZ; L: IADD3 R0, R0, -0x4, RZ; ISETP.NE.AND P0, PT, R0, RZ, PT; "
        "@P0 BRA L; M: ISETP.NE.AND P0, PT, R5, RZ, PT; @!P0 EXIT; "
        "N: IADD3 R5, R5, -0x1, RZ; ISETP.NE.AND P0, PT, R5, RZ, PT; @P0 BRA N; EXIT;";
    EXPECT_EQ(executed(code, {1, 32}, {{0x160, {18, 32}}}), "4..4 2..2");
    EXPECT_EQ(executed(code, {1, 32}, {{0x160, {16, 32}}}), "4..4 ? -0x00b0 -0x00e0");
    EXPECT_EQ(executed(code, {1, 32}, {{0x160, {3, 32}}}), "? 3..3 -0x0050 -0x0060");
}

// Threads of a grid take 1000 elements in strides of 256: three or four each.
TEST(AbstractExecution, BoundsStridedLoopsByTheRangesOfTheLaunch) {
    EXPECT_EQ(executed("S2R R0, SR_CTAID.X; S2R R3, SR_TID.X; IMAD R2, R0, 0x80, R3; "
                       "L: IADD3 R2, R2, 0x100, RZ; ISETP.GE.AND P0, PT, R2, 0x3e8, PT; "
                       "@!P0 BRA L; EXIT;",
                       {2, 128}),
              "3..4");
}

// A guarded call that never returns is a way out of a loop.
TEST(AbstractExecution, LeavesLoopsByCalls) {
    EXPECT_EQ(executed("MOV R4, RZ; L: IADD3 R4, R4, 0x1, RZ; ISETP.GE.AND P0, PT, R4, 0x9, PT; "
                       "@P0 CALL.REL.NOINC M; BRA L; M: EXIT;"),
              "9..9");
}

// What is called returns from a call of its own only, but may return as far as barriers tell.
TEST(AbstractExecution, LeavesLoopsByCallsThatMayReturn) {
    EXPECT_EQ(executed("MOV R4, RZ; L: IADD3 R4, R4, 0x1, RZ; ISETP.GE.AND P0, PT, R4, 0x9, PT; "
                       "@P0 CALL.REL.NOINC M; BRA L; M: BSSY B0, N; MOV R16, 0x80; "
                       "CALL.REL.NOINC F; BSYNC B0; N: EXIT; "
                       "F: BSSY B1, O; BSYNC B1; O: RET.REL.NODEC R16 0x0;"),
              "9..9");
    EXPECT_EQ(executed("MOV R4, RZ; L: IADD3 R4, R4, 0x1, RZ; MOV R16, 0x50; "
                       "ISETP.GE.AND P0, PT, R4, 0x9, PT; @P0 CALL.REL.NOINC M; BRA L; "
                       "M: ISETP.NE.AND P1, PT, R4, 0xc, PT; @!P1 EXIT; "
                       "RET.REL.NODEC R16 0x0;"),
              "12..12");
    EXPECT_EQ(executed("MOV R4, RZ; L: IADD3 R4, R4, 0x1, RZ; MOV R16, 0x50; "
                       "ISETP.GE.AND P0, PT, R4, 0x9, PT; @P0 CALL.REL.NOINC M; BRA L; "
                       "M: @P1 EXIT; RET.REL.NODEC R16 0x0;"),
              "?")
        << "it may always return";
}

TEST(AbstractExecution, HasNoBoundWhereDataDecides) {
    EXPECT_EQ(executed("MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; LDG.E R4, [R6]; "
                       "ISETP.NE.AND P0, PT, R4, RZ, PT; @P0 BRA L; EXIT;"),
              "?");
    // A counter beside the data still bounds the loop.
    EXPECT_EQ(executed("MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; LDG.E R4, [R6]; "
                       "ISETP.NE.AND P0, PT, R4, RZ, PT; ISETP.LT.AND P0, PT, R2, 0x7, P0; "
                       "@P0 BRA L; EXIT;"),
              "1..7");
}

// for (i = tid; i < 1000; i += 32), unrolled by four: 31 or 32 iterations, by lane. The remainder
// is entered where it is not zero, so that counting down to zero ends.
TEST(AbstractExecution, KnowsInALoopWhatTheBranchBeforeItCompared) {
    EXPECT_EQ(executed("S2R R0, SR_TID.X; LOP3.LUT R2, RZ, R0, RZ, 0x33, !PT; "
                       "IADD3 R5, R2, 0x3e8, RZ; LEA.HI R2, R5, 0x1, RZ, 0x1b; "
                       "LOP3.LUT P2, R4, R2, 0x3, RZ, 0xc0, !PT; @!P2 EXIT; "
                       "L: IADD3 R4, R4, -0x1, RZ; ISETP.NE.AND P0, PT, R4, RZ, PT; "
                       "@P0 BRA L; EXIT;"),
              "1..3");
    EXPECT_EQ(executed("LDG.E R4, [R6]; LOP3.LUT R4, R4, 0x3, RZ, 0xc0, !PT; "
                       "L: IADD3 R4, R4, -0x1, RZ; ISETP.NE.AND P0, PT, R4, RZ, PT; "
                       "@P0 BRA L; EXIT;"),
              "?")
        << "zero counts down from 2^32";
}

// The block ends with an instruction that writes the predicate of its own guard.
TEST(AbstractExecution, FollowsIterationsWhereAGuardIsWrittenAtTheEndOfABlock) {
    EXPECT_EQ(executed("MOV R4, 0x100; ISETP.GT.AND P0, PT, R3, R5, PT; "
                       "L: SHF.R.S32.HI R4, RZ, 0x1, R4; LDG.E R2, [R6]; "
                       "ISETP.NE.AND P2, PT, R2, RZ, PT; @P2 BRA M; "
                       "@P0 ISETP.NE.XOR P0, PT, R2, R3, P1; M: FADD R8, R8, R8; "
                       "ISETP.GE.AND P1, PT, R2, R4, PT; @P1 BRA L; EXIT;"),
              "?");
}

TEST(AbstractExecution, KnowsWhatFailedOnTheOtherSideOfABranch) {
    const std::string byte = "LOP3.LUT R4, R6, 0xff, RZ, 0xc0, !PT; "; // 0 to 255.
    const std::string data = "ISETP.NE.AND P1, PT, R8, RZ, PT; ";
    const std::string loop = "@P1 EXIT; L: IADD3 R4, R4, 0x1, RZ; ISETP.LT.AND P0, PT, R4, 0xa, PT;"
                             " @P0 BRA L; EXIT;";
    EXPECT_EQ(executed(byte + data + loop), "1..10");
    EXPECT_EQ(executed(byte + "ISETP.LT.AND P1, PT, R4, 0x2, PT; " + loop), "1..8");
    EXPECT_EQ(executed(byte + "ISETP.GE.AND P1, PT, R4, 0x2, PT; " + loop), "9..10");
    // "or" fails only where both sides do; "and" holds only where both do.
    EXPECT_EQ(executed(byte + data + "ISETP.LT.OR P1, PT, R4, 0x2, P1; " + loop), "1..8");
    EXPECT_EQ(executed(byte + data + "ISETP.LT.AND P1, PT, R4, 0x2, P1; " + loop), "1..10");
    // What was written since the comparison is not what was compared.
    EXPECT_EQ(executed(byte + "ISETP.LT.AND P1, PT, R4, 0x2, PT; " + byte + loop), "1..10");
    EXPECT_EQ(executed(byte + "ISETP.LT.AND P1, PT, R4, 0x2, PT; @P3 " + byte + loop), "1..10");
    // A comparison with a register says something of both.
    EXPECT_EQ(executed("MOV R9, 0x2; " + byte + "ISETP.GT.AND P1, PT, R9, R4, PT; " + loop),
              "1..8");
}

// while (i < 7 && data): the compiler branches on a guard and an operand.
TEST(AbstractExecution, FollowsBranchesThatTwoPredicatesDecide) {
    const auto loop = [](const std::string& branch) {
        return executed("MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; LDG.E R4, [R6]; "
                        "ISETP.NE.AND P1, PT, R4, RZ, PT; ISETP.GE.AND P0, PT, R2, 0x7, PT; " +
                        branch + " EXIT;");
    };
    EXPECT_EQ(loop("@!P0 BRA P1, L;"), "1..7");
    EXPECT_EQ(loop("@P1 BRA !P0, L;"), "1..7");
    EXPECT_EQ(loop("@P0 BRA P1, L;"), "1..1") << "iteration 1 is never followed by another";
}

// From sm_100 on the compiler counts in uniform registers and names the predicate as an operand.
TEST(AbstractExecution, FollowsBranchesOfAUniformPredicate) {
    const auto loop = [](const std::string& branch) {
        return executed("UMOV UR4, URZ; L: UIADD3 UR4, UPT, UPT, UR4, 0x1, URZ; "
                        "UISETP.NE.AND UP0, UPT, UR4, 0x7, UPT; " +
                        branch + " EXIT;");
    };
    EXPECT_EQ(loop("BRA.U UP0, L;"), "7..7");
    EXPECT_EQ(loop("BRA.U !UP0, L;"), "1..1");
    EXPECT_EQ(loop("BRA.U UP1, L;"), "?") << "nothing is known of it";
}

// The outer loop ends by data, and its counter grows to what the code compares it with; the inner
// loop runs from the counter on.
TEST(AbstractExecution, BoundsLoopsInsideLoopsThatDataEnds) {
    EXPECT_EQ(executed("MOV R2, RZ; K: MOV R3, R2; L: IADD3 R3, R3, 0x8, RZ; "
                       "ISETP.LT.AND P0, PT, R3, 0x4e20, PT; @P0 BRA L; LDG.E R4, [R6]; "
                       "IADD3 R2, R2, 0x1, RZ; ISETP.GE.AND P1, PT, R2, 0x4e20, PT; @P1 EXIT; "
                       "ISETP.NE.AND P0, PT, R4, RZ, PT; @P0 BRA K; EXIT;"),
              "? 1..2500");
}

// for (j = 0; j <= i; ++j), unrolled by 4: the number of rounds depends on the thread.
TEST(AbstractExecution, BoundsTriangularLoopsByTheIndexOfTheThread) {
    const auto code = [](const char* rest) {
        return fmt::format(
            "S2R R0, SR_TID.X; IADD3 R5, R0, 0x1, RZ; {}; "
            "ISETP.GE.U32.AND P0, PT, R0, 0x3, PT; @!P0 EXIT; IADD3 R4, R0, -R5, RZ; "
            "L: IADD3 R4, R4, -0x4, RZ; ISETP.NE.AND P0, PT, R4, -0x1, PT; @P0 BRA L; EXIT;",
            rest);
    };
    // Low bits are followed (S70), what a quotient leaves is not.
    EXPECT_EQ(executed(code("LOP3.LUT R5, R5, 0x3, RZ, 0xc0, !PT"), {1, 128}), "1..32");
    const auto quotient = code("SHF.R.U32.HI R6, RZ, 0x2, R5; IMAD R5, R6, -0x4, R5");
    EXPECT_EQ(executed(quotient, {1, 128}), "?");
    EXPECT_EQ(executed(quotient, {1, 128}, {}, Indices::OneByOne), "1..32");
}

// for (j = max(i - 2, 0); j <= min(i + 2, n - 1); ++j), of which neither end is known.
TEST(AbstractExecution, BoundsLoopsOverClampedWindows) {
    const auto code = [](const char* last, const char* between) {
        return fmt::format("S2R R0, SR_CTAID.X; IADD3 R2, R0, -0x2, RZ; IADD3 R4, R0, 0x2, RZ; "
                           "IMNMX R2, RZ, R2, !PT; {}; IMNMX R4, R4, UR4, PT; {}; "
                           "ISETP.GT.AND P0, PT, R2, R4, PT; @P0 EXIT; "
                           "L: IADD3 R2, R2, 0x1, RZ; ISETP.GT.AND P0, PT, R2, R4, PT; "
                           "@!P0 BRA L; EXIT;",
                           last, between);
    };
    EXPECT_EQ(executed(code("UMOV UR4, 0x3ff", "NOP"), {1024, 32}), "1..5");
    EXPECT_EQ(executed(code("ULDC UR4, c[0x0][0x160]", "NOP"), {1024, 32}), "1..5");
    EXPECT_EQ(executed(code("NOP", "@P3 IADD3 R4, R4, 0x1, RZ"), {1024, 32}), "1..6");
    EXPECT_EQ(executed(code("NOP", "@P3 IADD3 R2, R2, -0x1, RZ"), {1024, 32}), "1..6");
    EXPECT_EQ(executed(code("UMOV UR4, 0x3ff", "IADD3 R2, -R2, 0x400, RZ"), {1024, 32}), "1..1021")
        << "the other direction: from 3 to 1023";
    EXPECT_EQ(executed(code("UMOV UR4, 0x3ff", "IADD3 R2, R2, R2, RZ"), {1024, 32}), "1..5")
        << "2 max(i - 2, 0) is at least i - 2";
}

// Together, the first thread begins where the last one ends.
TEST(AbstractExecution, NarrowsBoundsByTheIndexOfTheThread) {
    const std::string body =
        "S2R R0, SR_TID.X; SHF.L.U32 R2, R0, 0x1, RZ; IADD3 R4, R0, 0x40, RZ; "
        "L: IADD3 R2, R2, 0x1, RZ; ISETP.GE.AND P0, PT, R2, R4, PT; @!P0 BRA L; EXIT;";
    EXPECT_EQ(executed(body), "2..95");
    EXPECT_EQ(executed(body, {1, 32}, {}, Indices::OneByOne), "33..64");
}

TEST(AbstractExecution, BoundsNoLoopByIndexThatMayBeEndless) {
    const std::string head = "S2R R0, SR_TID.X; ";
    const std::string loop = "L: IADD3 R0, R0, -0x4, RZ; ISETP.NE.AND P0, PT, R0, RZ, PT; "
                             "@P0 BRA L; EXIT;";
    EXPECT_EQ(executed(head + loop, {1, 128}, {}, Indices::OneByOne), "?") << "thread 1";
    EXPECT_EQ(executed(head + "LDG.E R0, [R6]; " + loop, {1, 128}, {}, Indices::OneByOne), "?");
}

// while (lo < hi) { m = (lo + hi) / 2; if (a[m] < x) lo = m + 1; else hi = m; } with hi = 1000:
// 1000, 500, 250, 125, 62, 31, 15, 7, 3, 1 are left.
TEST(AbstractExecution, BoundsBisections) {
    const auto loop = [](const char* high, const char* up, const char* down) {
        return fmt::format("MOV R2, RZ; {}; L: IADD3 R5, R2, R3, RZ; SHF.R.S32.HI R4, RZ, 0x1, R5; "
                           "LDG.E R6, [R8.64]; ISETP.GE.AND P0, PT, R6, R7, PT; "
                           "SEL R3, R3, {}, !P0; @!P0 IADD3 R2, R4, {}, RZ; "
                           "ISETP.GE.AND P1, PT, R2, R3, PT; @!P1 BRA L; EXIT;",
                           high, down, up);
    };
    EXPECT_EQ(executed(loop("MOV R3, 0x3e8", "0x1", "R4")), "1..10");
    EXPECT_EQ(executed(loop("LDG.E.U8 R3, [R10.64]", "0x1", "R4")), "1..8");
    EXPECT_EQ(executed(loop("LDG.E R3, [R10.64]", "0x1", "R4")), "?") << "may wrap around";
    EXPECT_EQ(executed(loop("MOV R3, 0x3e8", "RZ", "R4")), "?") << "1 is left again and again";
    EXPECT_EQ(executed(loop("MOV R3, 0x3e8", "0x1", "R3")), "?") << "one path moves nothing";
}

// while (high - low > 1): 1000, 500, 250, 125, 63, 32, 16, 8, 4 and 2 are left.
TEST(AbstractExecution, BoundsBisectionsUntilADistanceIsLeft) {
    const auto loop = [](const char* distance, const char* number) {
        return fmt::format("MOV R2, RZ; MOV R3, 0x3e8; L: IADD3 R5, R2, R3, RZ; "
                           "SHF.R.S32.HI R4, RZ, 0x1, R5; LDG.E R6, [R8.64]; "
                           "ISETP.GE.AND P0, PT, R6, R7, PT; SEL R3, R3, R4, !P0; "
                           "SEL R2, R2, R4, P0; {}; ISETP.GT.AND P1, PT, R5, {}, PT; @P1 BRA L; "
                           "EXIT;",
                           distance, number);
    };
    EXPECT_EQ(executed(loop("IADD3 R5, R3, -R2, RZ", "0x1")), "1..10");
    EXPECT_EQ(executed(loop("IADD3 R5, R3, -R2, -0x1", "RZ")), "1..10");
    EXPECT_EQ(executed(loop("IADD3 R5, R3, -R2, RZ", "0x3")), "1..9") << "2 ends it";
    EXPECT_EQ(executed(loop("IADD3 R5, R3, -R2, RZ", "RZ")), "?") << "1 is left again and again";
    EXPECT_EQ(executed(loop("IADD3 R5, R2, -R3, RZ", "-0x2")), "?") << "the other way around";
    EXPECT_EQ(executed(loop("IADD3 R5, R3, R2, RZ", "0x1")), "?") << "a sum";
}

// Two counters up to 20 and 30, of which each iteration raises one: 49 may stay, one more leaves.
TEST(AbstractExecution, BoundsLoopsOfTwoCounters) {
    const auto loop = [](const char* other) {
        return fmt::format("MOV R2, RZ; MOV R3, RZ; L: LDG.E R6, [R8.64]; "
                           "ISETP.GE.AND P0, PT, R6, R7, PT; @P0 IADD3 R2, R2, 0x1, RZ; {}; "
                           "ISETP.LT.AND P1, PT, R2, 0x14, PT; "
                           "ISETP.LT.AND P1, PT, R3, 0x1e, P1; @P1 BRA L; EXIT;",
                           other);
    };
    EXPECT_EQ(executed(loop("@!P0 IADD3 R3, R3, 0x1, RZ")), "1..49");
    EXPECT_EQ(executed(loop("@P0 IADD3 R3, R3, 0x1, RZ")), "?") << "perhaps neither";
    EXPECT_EQ(executed(loop("@!P0 LDG.E R3, [R8.64]")), "?");
}

// A limit that is computed in the loop wraps around as numbers do: 100 each, so that 199 stay.
TEST(AbstractExecution, BoundsLoopsOfTwoCountersWithLimitsThatWrapAround) {
    const auto loop = [](const char* limit) {
        return fmt::format("MOV R2, RZ; MOV R3, RZ; MOV R7, 0x64; L: {}; LDG.E R6, [R8.64]; "
                           "ISETP.GE.AND P0, PT, R6, RZ, PT; @!P0 IADD3 R2, R2, 0x1, RZ; "
                           "@P0 IADD3 R3, R3, 0x1, RZ; ISETP.GE.AND P1, PT, R2, R5, PT; "
                           "ISETP.GE.OR P1, PT, R3, R5, P1; @!P1 BRA L; EXIT;",
                           limit);
    };
    EXPECT_EQ(executed(loop("MOV R5, 0x64")), "1..199");
    EXPECT_EQ(executed(loop("MOV R5, 0x80000000; IADD3 R5, R5, R5, RZ; IADD3 R5, R5, 0x64, RZ")),
              "1..199");
    EXPECT_EQ(executed(loop("IADD3 R5, R7, -0x40000000, RZ; IADD3 R5, R5, -0x60000000, RZ; "
                            "IADD3 R5, R5, -0x60000000, RZ")),
              "1..199");
    EXPECT_EQ(executed(loop("MOV R5, 0x80000000; LOP3.LUT R5, RZ, R5, RZ, 0x33, !PT")), "?")
        << "the largest number is none that a sum of two does not wrap around";
    EXPECT_EQ(executed(loop("MOV R5, R7; IMAD R5, R5, 0x7fffffff, RZ; IMAD R5, R5, 0x7fffffff, RZ; "
                            "IMAD R5, R5, 0x7fffffff, RZ; IMAD R5, R5, 0x7fffffff, RZ")),
              "1..199");
}

// Lanes that wait find in a uniform predicate what others wrote, in an iteration that raises none.
TEST(AbstractExecution, BoundsNoLoopByUniformPredicatesThatOtherLanesWrite) {
    const auto loop = [](const char* branch) {
        return fmt::format(
            "MOV R2, RZ; MOV R3, RZ; L: UISETP.EQ.AND UP0, UPT, URZ, URZ, UPT; BRA.U UP0, M; "
            "IADD3 R2, R2, 0x1, RZ; M: LDG.E R6, [R8.64]; ISETP.GE.AND P0, PT, R6, RZ, PT; "
            "BSSY B0, J; {} Y: UISETP.NE.AND UP0, UPT, URZ, URZ, UPT; "
            "IADD3 R2, R2, 0x1, RZ; J: BSYNC B0; BRA.U !UP0, N; IADD3 R3, R3, 0x1, RZ; "
            "N: ISETP.GE.AND P1, PT, R2, 0x64, PT; ISETP.GE.OR P1, PT, R3, 0x64, P1; @!P1 BRA L; "
            "EXIT;",
            branch);
    };
    EXPECT_EQ(executed(loop("@!P0 BRA J;")), "? -0x0040");
}

TEST(AbstractExecution, BoundsLoopsOverTheBitsOfAMask) {
    EXPECT_EQ(executed("LDG.E R0, [R8.64]; L: IADD3 R9, R0, -0x1, RZ; "
                       "LOP3.LUT P0, R0, R9, RZ, R0, 0xa0, !PT; @P0 BRA L; EXIT;"),
              "1..32");
    EXPECT_EQ(executed("LDG.E R0, [R8.64]; L: IADD3 R9, R0, -0x2, RZ; "
                       "LOP3.LUT P0, R0, R9, RZ, R0, 0xa0, !PT; @P0 BRA L; EXIT;"),
              "?");
}

} // namespace
} // namespace warpbound::analyzer

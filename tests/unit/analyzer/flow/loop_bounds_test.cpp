#include "analyzer/flow/flow_facts_template.hpp"
#include "analyzer/flow/loop_bounds.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

/// "min..max" of each loop, "?" where no bound follows.
std::string derived_bounds(const std::string& body, int sm = 20,
                           Convergence convergence = Convergence::Converged) {
    const auto context = analyzed(body, {}, "turing-t4", sm);
    std::string text;
    for (const auto& loop : derive_loops(*context->request.function, context->graph, convergence))
        text += (text.empty() ? "" : " ") +
                (loop ? std::to_string(loop->min) + ".." + std::to_string(loop->max) : "?");
    return text;
}

TEST(LoopBounds, FollowFromACounterAndALimit) {
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: IADD R4, R4, 0x4; ISETP.NE.AND P0, PT, R4, 0x18, PT; "
                             "@P0 BRA L; EXIT;"),
              "6..6");
    EXPECT_EQ(derived_bounds("MOV32I R4, 0x30; L: IADD3 R4, R4, 0x40, RZ; "
                             "ISETP.GE.AND P0, PT, R4, 0x230, PT; @!P0 BRA L; EXIT;"),
              "8..8");
    EXPECT_EQ(derived_bounds("MOV R4, 0xa; L: IADD R4, R4, -0x3; ISETP.GT.AND P0, PT, R4, RZ, PT; "
                             "@P0 BRA L; EXIT;"),
              "4..4");
}

// The second word of a pair is that at the next address, the first is not.
TEST(LoopBounds, FollowFromTheWordsOfAWideLoad) {
    const auto until = [](const std::string& limit) {
        return derived_bounds("LDC.64 R6, c[0x0][0x160]; MOV R4, c[0x0][0x164]; IADD3 R5, " +
                                  limit +
                                  ", 0x5, RZ; L: IADD3 R4, R4, 0x1, RZ; "
                                  "ISETP.NE.AND P0, PT, R4, R5, PT; @P0 BRA L; EXIT;",
                              75);
    };
    EXPECT_EQ(until("R7"), "5..5");
    EXPECT_EQ(until("R6"), "?");
}

TEST(LoopBounds, DistinguishSignedFromUnsigned) {
    const std::string head = "MOV R4, 0x2; L: IADD R4, R4, -0x1; ";
    EXPECT_EQ(derived_bounds(head + "ISETP.GE.AND P0, PT, R4, RZ, PT; @P0 BRA L; EXIT;"), "3..3");
    // An unsigned number is never below zero, so the branch is always taken.
    EXPECT_EQ(derived_bounds(head + "ISETP.GE.U32.AND P0, PT, R4, RZ, PT; @P0 BRA L; EXIT;"), "?");
    EXPECT_EQ(derived_bounds(head + "ISETP.LT.U32.AND P0, PT, R4, 0x10, PT; @P0 BRA L; EXIT;"),
              "3..3");
}

TEST(LoopBounds, CountTheHeaderOnceMoreWithATestAtTheTop) {
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: ISETP.GE.AND P0, PT, R4, 0x5, PT; @P0 BRA D; "
                             "IADD R4, R4, 0x1; BRA L; D: EXIT;"),
              "6..6");
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: ISETP.GE.AND P0, PT, R4, 0x5, PT; @P0 EXIT; "
                             "IADD R4, R4, 0x1; BRA L;"),
              "6..6");
}

TEST(LoopBounds, FollowMovesOfNumbersAndPredicates) {
    EXPECT_EQ(derived_bounds("IMAD.MOV.U32 R5, RZ, RZ, RZ; L: IADD3 R6, R5, 0x1, RZ; "
                             "ISETP.NE.AND P1, PT, R6, 0x11, PT; MOV R5, R6; "
                             "PLOP3.LUT P0, PT, PT, P1, PT, 0x80, 0x0; @P0 BRA L; EXIT;",
                             75),
              "17..17");
}

TEST(LoopBounds, UseUniformRegistersOnlyWithoutDivergence) {
    const std::string code = "UMOV UR4, URZ; L: UIADD3 UR4, UR4, 0x1, URZ; "
                             "UISETP.NE.AND UP0, UPT, UR4, 0x5, UPT; "
                             "PLOP3.LUT P0, PT, PT, UP0, PT, 0x80, 0x0; @P0 BRA L; EXIT;";
    EXPECT_EQ(derived_bounds(code, 75), "5..5");
    EXPECT_EQ(derived_bounds(code, 75, Convergence::MayDiverge), "?");
    EXPECT_EQ(
        derived_bounds("MOV R4, RZ; L: IADD3 R4, R4, 0x1, RZ; ISETP.NE.AND P0, PT, R4, 0x5, PT; "
                       "@P0 BRA L; EXIT;",
                       75, Convergence::MayDiverge),
        "5..5");
    const auto context = analyzed(code, {}, "turing-t4", 75);
    const std::string text =
        flow_facts_template(context->program, *context->request.function, context->graph);
    EXPECT_THAT(text, HasSubstr("<!-- from the code, where the warp never diverges: 5 to 5 "
                                "times; "));
    EXPECT_THAT(text, HasSubstr("<loop header=\"0x0010\" min=\"?\" max=\"?\"/>"));
}

TEST(LoopBounds, RecognizeZeroFromTheHalfPrecisionUnit) {
    const std::string loop =
        "L: IADD3 R4, R4, 0x1, RZ; ISETP.NE.AND P0, PT, R4, 0x8, PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(derived_bounds("HFMA2 R4, -RZ, RZ, 0, 0; " + loop, 75), "8..8");
    EXPECT_EQ(derived_bounds("HFMA2 R4, RZ, RZ, 0, 0; " + loop, 75), "8..8");
    // Minus zero is 0x8000 in that half.
    EXPECT_EQ(derived_bounds("HFMA2 R4, -RZ, RZ, -0, 0; " + loop, 75), "?");
    EXPECT_EQ(derived_bounds("HFMA2 R4, -RZ, RZ, 0, -0; " + loop, 75), "?");
    EXPECT_EQ(derived_bounds("HFMA2 R4, -RZ, 0, 0, -RZ; " + loop, 75), "?");
}

TEST(LoopBounds, NeedOnlyADifferenceForEquality) {
    EXPECT_EQ(derived_bounds("MOV R4, c[0x0][0x20]; IADD R5, R4, 0x40; L: IADD R4, R4, 0x8; "
                             "ISETP.NE.AND P0, PT, R4, R5, PT; @P0 BRA L; EXIT;"),
              "8..8");
    EXPECT_EQ(derived_bounds("MOV R4, c[0x0][0x20]; IADD R5, R4, 0x40; L: IADD R4, R4, 0x8; "
                             "ISETP.LT.AND P0, PT, R4, R5, PT; @P0 BRA L; EXIT;"),
              "?"); // The sums may wrap around.
}

TEST(LoopBounds, CoverInnerLoopsPerEntry) {
    EXPECT_EQ(derived_bounds("MOV R4, RZ; A: MOV R5, RZ; B: IADD R5, R5, 0x1; "
                             "ISETP.NE.AND P0, PT, R5, 0x11, PT; @P0 BRA B; IADD R4, R4, 0x1; "
                             "ISETP.NE.AND P1, PT, R4, 0x8, PT; @P1 BRA A; EXIT;"),
              "8..8 17..17");
    // The inner start depends on the outer iteration.
    EXPECT_EQ(derived_bounds("MOV R4, RZ; A: MOV R5, R4; B: IADD R5, R5, 0x1; "
                             "ISETP.LT.AND P0, PT, R5, 0x11, PT; @P0 BRA B; IADD R4, R4, 0x1; "
                             "ISETP.NE.AND P1, PT, R4, 0x8, PT; @P1 BRA A; EXIT;"),
              "8..8 ?");
}

TEST(LoopBounds, KeepTheUpperBoundWithASecondExit) {
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: @P3 BRA D; IADD R4, R4, 0x1; "
                             "ISETP.NE.AND P0, PT, R4, 0x8, PT; @P0 BRA L; D: EXIT;"),
              "1..8");
}

TEST(LoopBounds, DoNotFollowFromInstructionsThatMayNotExecute) {
    const std::string test = "ISETP.NE.AND P0, PT, R4, 0x8, PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: @P3 IADD R4, R4, 0x1; " + test), "?");
    EXPECT_EQ(derived_bounds("@P3 MOV R4, RZ; L: IADD R4, R4, 0x1; " + test), "?");
    EXPECT_EQ(derived_bounds("L: IADD R4, R4, 0x1; " + test), "?");
    EXPECT_EQ(
        derived_bounds("MOV R4, RZ; L: IADD R4, R4, 0x1; @P3 BRA M; IADD R4, R4, 0x1; M: " + test),
        "?");
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: IADD.X R4, R4, 0x1; " + test), "?");
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: LDS R4, [R5]; IADD R4, R4, 0x1; " + test), "?");
    // The test is only made in some iterations.
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: IADD R4, R4, 0x1; @P3 BRA M; "
                             "ISETP.EQ.AND P0, PT, R4, 0x8, PT; @P0 BRA D; M: @P2 BRA L; D: EXIT;"),
              "?");
    // Another predicate, and one that is combined with a second comparison.
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: IADD R4, R4, 0x1; ISETP.NE.AND P0, PT, R4, 0x8, P2; "
                             "@P0 BRA L; EXIT;"),
              "?");
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: IADD R4, R4, 0x1; ISETP.NE.AND P0, PT, R4, 0x8, PT; "
                             "ISETP.NE.AND P0, PT, R9, 0x8, PT; @P0 BRA L; EXIT;"),
              "?");
}

TEST(LoopBounds, DoNotExistForEndlessLoops) {
    EXPECT_EQ(derived_bounds("MOV R4, RZ; L: IADD R4, R4, 0x2; ISETP.NE.AND P0, PT, R4, 0x9, PT; "
                             "@P0 BRA L; EXIT;"),
              "?");
}

TEST(LoopBounds, BoundAKernelWithoutFacts) {
    const std::string body = "MOV R4, RZ; L: IADD R4, R4, 0x4; "
                             "ISETP.NE.AND P0, PT, R4, 0x18, PT; @P0 BRA L; EXIT;";
    const auto derived = analyzed(body)->run();
    ASSERT_TRUE(derived) << to_string(derived.error());
    models::FlowFacts same;
    same.loops.push_back({8, 6, 6, {}});
    const auto stated = analyzed(body, same)->run();
    ASSERT_TRUE(stated) << to_string(stated.error());
    EXPECT_EQ(derived.value().execution_time.upper.proved,
              stated.value().execution_time.upper.proved);
    EXPECT_EQ(derived.value().execution_time.lower.proved,
              stated.value().execution_time.lower.proved);
    const auto unchecked = [](const Analysis& analysis) {
        std::string texts;
        for (const auto& assumption : analysis.assumptions)
            if (assumption.status == AssumptionStatus::Unchecked) texts += assumption.text + "\n";
        return texts;
    };
    EXPECT_THAT(unchecked(stated.value()), testing::Not(HasSubstr("loop bounds")));
    models::FlowFacts wrong = same;
    wrong.loops.front().min = 5;
    wrong.loops.front().max = 5;
    wrong.loops.front().from.line = 3;
    const auto refused = analyzed(body, wrong)->run();
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()),
                HasSubstr("3: the header at 0x0008 is stated to execute 5..5 times, but 6..6 "
                          "follow from the code"));
}

// Simulated runs satisfy the stated facts only, so a bound that is compared with them uses no more.
TEST(LoopBounds, TightenStatedBoundsOnlyIfBranchesAreFollowed) {
    models::FlowFacts facts;
    facts.loops.push_back({0x08, 1, 6, {}});
    auto kernel = analyzed("MOV R10, RZ; L: MOV R3, R6; IADD R10, R10, 0x1; "
                           "ISETP.NE.AND P1, PT, R10, 0x6, PT; @P1 BRA L; EXIT;",
                           facts);
    const auto stated = kernel->run();
    kernel->request.follow_branches = true;
    const auto counted = kernel->run();
    ASSERT_TRUE(stated) << to_string(stated.error());
    ASSERT_TRUE(counted) << to_string(counted.error());
    EXPECT_LT(stated.value().execution_time.lower.proved,
              counted.value().execution_time.lower.proved);
    EXPECT_EQ(stated.value().execution_time.upper.proved,
              counted.value().execution_time.upper.proved);
}

} // namespace
} // namespace warpbound::analyzer

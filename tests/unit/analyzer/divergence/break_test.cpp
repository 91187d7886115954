// Lanes that leave a reconvergence point by BREAK (docs/theory, S67).

#include "models/architecture/value_path.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound::analyzer {
namespace {

/// On a Turing whose gaps are short and whose cosine takes 100 cycles.
Result<Analysis> of_turing(const std::string& body, const std::vector<std::int64_t>& divergent_at,
                           const std::vector<models::LoopFact>& loops = {}) {
    models::FlowFacts facts;
    facts.loops = loops;
    for (const std::int64_t at : divergent_at)
        facts.divergents.push_back({at, {}});
    const auto context = analyzed(body, facts, "turing-t4", 75);
    for (const auto& [path, cycles] :
         {std::pair{"control-flow/branch-taken", 5}, std::pair{"control-flow/branch-not-taken", 5},
          std::pair{"classes/special-function/latency", 100}})
        EXPECT_TRUE(models::override_value(context->architecture, path, cycles)) << path;
    return context->run();
}

// Lanes that arrive at B0 wait until the others have left it, which wait for a result of the
// former. Then the former wait for a result of the others.
TEST(Divergence, MakesLanesWaitForThoseThatLeaveTheirPointByBreak) {
    const auto code = [](const std::string& leave_at_once, const std::string& leave_late) {
        return "BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; " + leave_at_once +
               "@P0 BRA PAST ?trans5; MUFU.COS R5, R9 &wr=0x0 ?trans2; MEET: BSYNC B0 ?trans5; "
               "NOP &req={1} ?trans1; MUFU.COS R5, R9 &wr=0x2 ?trans2; BRA OUT ?trans5; PAST: " +
               leave_late +
               "NOP &req={0} ?trans1; MUFU.COS R5, R9 &wr=0x1 ?trans2; OUT: BSYNC B1 ?trans5; "
               "NOP &req={2} ?trans1; EXIT ?trans5;";
    };
    const auto later = of_turing(code("", "BREAK B0 ?trans1; "), {0x20});
    ASSERT_TRUE(later) << to_string(later.error());
    const std::int64_t upper = later.value().execution_time.bounds().upper().count();
    EXPECT_GT(upper, 300);
    EXPECT_LT(upper, 330);
    const auto at_once = of_turing(code("@P0 BREAK B0 ?trans1; ", ""), {0x30});
    EXPECT_TRUE(at_once) << to_string(at_once.error());
}

// The branch transfers the lanes that remain.
TEST(Divergence, LeavesAPointByBreakWithTheOppositeGuardOfTheBranch) {
    const auto upper = [](const std::string& branch) {
        const auto analysis = of_turing(
            "BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; @P0 BREAK B0 ?trans1; " + branch +
                "STAY: MUFU.COS R5, R9 &wr=0x0 ?trans2; MEET: BSYNC B0 ?trans5; "
                "NOP &req={0} ?trans1; BRA OUT ?trans5; PAST: MUFU.COS R6, R9 &wr=0x1 ?trans2; "
                "OUT: BSYNC B1 ?trans5; NOP &req={1} ?trans1; EXIT ?trans5;",
            {0x30});
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        return analysis ? analysis.value().execution_time.bounds().upper().count() : 0;
    };
    const std::int64_t same = upper("@P0 BRA PAST ?trans5; ");
    const std::int64_t opposite = upper("@!P0 BRA STAY ?trans5; BRA PAST ?trans5; ");
    EXPECT_GE(opposite, same);
    EXPECT_LE(opposite, same + 2 * 12) << "one branch more, for the lanes that leave";
}

// Of the lanes on the fall-through path some wait at B0 while others end. Then come the lanes that
// leave B0, then those that wait at it. Each group waits for a result of the one before.
TEST(Divergence, MakesLanesWaitAtAPointThatOthersLeaveWhileSomeEnd) {
    const auto analysis = of_turing(
        "BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; @P0 BRA PAST ?trans5; @P1 BRA ELSE ?trans5; "
        "NOP &req={3} ?trans1; MUFU.COS R5, R9 &wr=0x0 ?trans2; EXIT ?trans5; "
        "ELSE: MUFU.COS R5, R9 &wr=0x3 ?trans2; MEET: BSYNC B0 ?trans5; "
        "NOP &req={1} ?trans1; MUFU.COS R5, R9 &wr=0x2 ?trans2; BRA OUT ?trans5; "
        "PAST: BREAK B0 ?trans1; NOP &req={0} ?trans1; MUFU.COS R5, R9 &wr=0x1 ?trans2; "
        "OUT: BSYNC B1 ?trans5; NOP &req={2} ?trans1; EXIT ?trans5;",
        {0x20, 0x30});
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const std::int64_t upper = analysis.value().execution_time.bounds().upper().count();
    EXPECT_GT(upper, 400);
    EXPECT_LT(upper, 440);
}

// At a branch in a loop some lanes leave its point and the loop in each iteration; those that
// remain reconverge at the point.
TEST(Divergence, LeavesALoopByBreakFromInsideABranch) {
    const std::string code =
        "BSSY B0, OUT ?trans1; H: BSSY B1, MEET ?trans1; @P0 BRA MEET ?trans5; "
        "@P1 BREAK B1 ?trans1; @P1 BRA T ?trans5; NOP ?trans1; MEET: BSYNC B1 ?trans5; "
        "@P2 BRA H ?trans5; T: MUFU.COS R5, R9 &wr=0x1 ?trans2; NOP &req={1} ?trans1; "
        "OUT: BSYNC B0 ?trans5; EXIT ?trans5;";
    const auto upper_of = [&](const std::vector<std::int64_t>& divergent_at,
                              std::int64_t iterations) {
        const auto analysis = of_turing(code, divergent_at, {{0x10, 1, iterations, {}}});
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        return analysis ? analysis.value().execution_time.bounds().upper().count() : 0;
    };
    const auto upper = [&](std::int64_t iterations) {
        return upper_of({0x20, 0x40, 0x70}, iterations);
    };
    // In each iteration some may wait for a result after the loop, before the remaining reconverge.
    EXPECT_GT(upper(7) - upper(4), 3 * 100);
    // All lanes that come to the exit together leave there, or none does.
    EXPECT_LT(upper_of({0x20, 0x70}, 7), upper_of({0x20, 0x40, 0x70}, 7));
    EXPECT_LT(upper_of({0x70}, 7), upper_of({0x20, 0x70}, 7));
}

// Lanes that left a loop come to another such loop, at once or after those that iterate on.
TEST(Divergence, LeavesALoopByBreakFromInsideABranchAfterAnotherLoop) {
    const auto analysis = of_turing(
        "BSSY B0, OUT ?trans1; H: NOP ?trans1; @P0 BRA H ?trans5; BSSY B1, O2 ?trans1; "
        "H2: NOP ?trans1; BSSY B2, M ?trans1; @P1 BRA ELSE ?trans5; @P2 BREAK B2 ?trans1; "
        "@P2 BRA T ?trans5; NOP ?trans1; BRA M ?trans5; ELSE: NOP ?trans1; M: BSYNC B2 ?trans5; "
        "@P3 BRA H2 ?trans5; T: NOP ?trans1; O2: BSYNC B1 ?trans5; OUT: BSYNC B0 ?trans5; "
        "EXIT ?trans5;",
        {0x20, 0x60, 0x80, 0xd0}, {{0x10, 1, 4, {}}, {0x40, 1, 4, {}}});
    EXPECT_TRUE(analysis) << to_string(analysis.error());
}

// As a compiler unrolls such a loop: some lanes leave the point of a branch towards the point
// around it, and others do so again at each later branch.
TEST(Divergence, LeavesAPointByBreakFromInsideManyBranches) {
    const auto upper = [](int branches) {
        std::string code = "BSSY B0, OUT ?trans1; ";
        std::vector<std::int64_t> divergent_at;
        for (int i = 0; i < branches; ++i) {
            const std::string point = "MEET" + std::to_string(i);
            code += "BSSY B1, " + point + " ?trans1; @P0 BRA " + point +
                    " ?trans5; @P1 BREAK B1 ?trans1; @P1 BRA T ?trans5; NOP ?trans1; " + point +
                    ": BSYNC B1 ?trans5; ";
            divergent_at.push_back(0x10 + 0x60 * i + 0x10);
            divergent_at.push_back(0x10 + 0x60 * i + 0x30);
        }
        code += "NOP ?trans1; T: MUFU.COS R5, R9 &wr=0x1 ?trans2; NOP &req={1} ?trans1; "
                "OUT: BSYNC B0 ?trans5; EXIT ?trans5;";
        const auto analysis = of_turing(code, divergent_at);
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        return analysis ? analysis.value().execution_time.bounds().upper().count() : 0;
    };
    const std::int64_t one = upper(1);
    const std::int64_t twelve = upper(12);
    // At each branch some may wait for a result after T by themselves, at most once or twice.
    EXPECT_GT(twelve - one, 11 * 100);
    EXPECT_LT(twelve - one, 11 * 3 * 150);
}

TEST(Divergence, LeavesSeveralPointsByBreak) {
    // B1 as well.
    EXPECT_TRUE(of_turing(
        "BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; @P0 BRA PAST ?trans5; NOP ?trans1; "
        "MEET: BSYNC B0 ?trans5; BRA OUT ?trans5; PAST: BREAK B0 ?trans1; BREAK B1 ?trans1; "
        "EXIT ?trans5; OUT: BSYNC B1 ?trans5; EXIT ?trans5;",
        {0x20}));
    // Lanes that diverge at the first branch reconverge at OUT, where no point is.
    EXPECT_TRUE(of_turing("@P2 BRA OUT ?trans5; BSSY B0, MEET ?trans1; @P0 BREAK B0 ?trans1; "
                          "@P0 BRA PAST ?trans5; MEET: BSYNC B0 ?trans5; PAST: NOP ?trans1; "
                          "OUT: EXIT ?trans5;",
                          {0x00, 0x30}));
}

TEST(Divergence, IsRefusedWhereABreakIsNotAtABranch) {
    const auto refused = [](const std::string& body, const std::vector<std::int64_t>& divergent_at,
                            const std::string& why) {
        const auto analysis = of_turing(body, divergent_at);
        ASSERT_FALSE(analysis);
        EXPECT_THAT(analysis.error().what, testing::HasSubstr(why));
    };
    refused("BSSY B0, MEET ?trans1; @P0 BREAK B0 ?trans1; NOP ?trans1; @P1 BRA PAST ?trans5; "
            "MEET: BSYNC B0 ?trans5; PAST: EXIT ?trans5;",
            {0x30}, "before a branch with the same guard or its opposite only");
    refused("BSSY B0, MEET ?trans1; @P0 BREAK B0 ?trans1; ISETP.GE.AND P0, PT, R2, R3, PT ?trans6; "
            "@P0 BRA PAST ?trans5; MEET: BSYNC B0 ?trans5; PAST: EXIT ?trans5;",
            {0x30}, "before a branch with the same guard or its opposite only");
    refused("BSSY B0, MEET ?trans1; BREAK P1, B0 ?trans1; @P1 BRA PAST ?trans5; "
            "MEET: BSYNC B0 ?trans5; PAST: EXIT ?trans5;",
            {0x20}, "expected a barrier register alone");
}

// The simulator refuses it, too: of which lanes wait there the contract says nothing.
TEST(Divergence, IsRefusedWhereABsyncIsUnderAGuard) {
    const auto code = [](const std::string& guard) {
        return "BSSY B0, MEET ?trans1; @P0 BRA B ?trans5; NOP ?trans1; BRA MEET ?trans5; "
               "B: NOP ?trans1; MEET: " +
               guard + "BSYNC B0 ?trans5; EXIT ?trans5;";
    };
    EXPECT_TRUE(of_turing(code(""), {0x10}));
    EXPECT_TRUE(of_turing(code("@PT "), {0x10}));
    const auto refused = of_turing(code("@P1 "), {0x10});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, testing::HasSubstr("a BSYNC under a guard"));
}

} // namespace
} // namespace warpbound::analyzer

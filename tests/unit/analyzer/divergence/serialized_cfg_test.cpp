#include "analyzer/divergence/serialized_cfg.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound::analyzer {
namespace {

struct Times {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
};

/// On Fermi, whose instructions take 8 bytes; `parts`: where lanes may part.
Times times(const std::string& body, const std::vector<std::int64_t>& parts,
            const std::vector<models::LoopFact>& loops = {}, models::Launch launch = {1, 32}) {
    models::FlowFacts facts;
    facts.loops = loops;
    for (const std::int64_t at : parts)
        facts.divergents.push_back({at, {}});
    auto context = analyzed(body, facts);
    context->request.launch = launch;
    const auto analysis = context->run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    if (!analysis) return {};
    const auto bounds = analysis.value().execution_time.bounds();
    return {bounds.lower().count(), bounds.upper().count()};
}

const std::string chain = "FADD R4, R4, R4; FADD R4, R4, R4; ";

TEST(PartingLanes, TakeBothWaysOfABranchOneAfterTheOther) {
    const std::string code =
        "@P0 BRA L; " + chain + "BRA J; L: " + chain + "MOV R5, R4; J: FADD R6, R4, R5; EXIT;";
    const Times together = times(code, {});
    const Times parted = times(code, {0});
    // Where lanes change, the shorter gap counts from below.
    EXPECT_LE(parted.lower, together.lower);
    EXPECT_GT(parted.lower, times("NOP; " + chain + "EXIT;", {}).lower);
    // The two additions of the other way wait for each other and for those before.
    const Times serial =
        times("NOP; " + chain + "NOP; " + chain + "MOV R5, R4; FADD R6, R4, R5; EXIT;", {});
    EXPECT_GE(parted.upper, serial.upper);
    EXPECT_GT(parted.upper, together.upper + 2 * 6);
}

/// To three places by a table, the last of which is longer.
std::string table(const std::string& targets, const std::string& end = "NOP.S; ") {
    return "SSY J; BRX R2 -0x10 (*\"BRANCH_TARGETS " + targets + "\"*); A: " + chain + end +
           "B: MOV R5, R4; NOP.S; C: " + chain + chain + "NOP.S; J: EXIT;";
}

TEST(PartingLanes, TakeEachWayOnce) {
    models::FlowFacts facts;
    facts.divergents.push_back({8, {}});
    const auto most = [&](const std::string& body) {
        const auto analysis = analyzed(body, facts)->run();
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        std::vector<std::int64_t> counts;
        for (const auto& block : analysis.value().execution_time.upper.blocks)
            counts.push_back(block.count);
        return counts;
    };
    using testing::ElementsAre;
    EXPECT_THAT(most("SSY J; @P0 BRA L; " + chain + "NOP.S; L: " + chain + "NOP.S; J: EXIT;"),
                ElementsAre(1, 1, 1, 1));
    // What both ways share, each of them passes.
    EXPECT_THAT(most("SSY J; @P0 BRA L; " + chain + "L: NOP.S; J: EXIT;"), ElementsAre(1, 1, 2, 1));
    EXPECT_THAT(most(table("A,B,C")), ElementsAre(1, 1, 1, 1, 1));
    EXPECT_THAT(most(table("A,B,C", "")),
                testing::UnorderedElementsAre(1, 1, 1, 1, 2)); // A leads on to B.
    EXPECT_THAT(most("SSY J; @P0 BRA L; " + chain + "BRA M; L: " + chain + "M: NOP.S; J: EXIT;"),
                ElementsAre(1, 1, 1, 2, 1));
}

TEST(PartingLanes, TakeEachOfSeveralWaysOnceInAnyOrder) {
    const std::string code = table("A,B,C");
    const Times parted = times(code, {8});
    const Times serial = times(
        "SSY J; NOP; " + chain + "NOP; MOV R5, R4; NOP; " + chain + chain + "NOP.S; J: EXIT;", {});
    EXPECT_GE(parted.upper, serial.upper);
    EXPECT_EQ(times(code, {}).lower, times(table("B"), {}).lower);
    EXPECT_LE(parted.lower, times(code, {}).lower);
    // Two of the three lead to the same place.
    EXPECT_EQ(times(table("A,B,B"), {8}).upper, times(table("A,B"), {8}).upper);
}

TEST(PartingLanes, AreRefusedWhereOneOfSeveralWaysComesAgain) {
    models::FlowFacts facts;
    facts.loops.push_back({0, 1, 4, {}});
    facts.divergents.push_back({8, {}});
    const auto analysis =
        analyzed("H: NOP; BRX R2 -0x10 (*\"BRANCH_TARGETS A,B,C\"*); A: MOV R5, R4; BRA H; B: "
                 "MOV R6, R4; BRA J; C: MOV R7, R4; J: EXIT;",
                 facts)
            ->run();
    ASSERT_FALSE(analysis);
    EXPECT_THAT(analysis.error().what, testing::HasSubstr("0x0008: lanes that part here to more "
                                                          "than two ways may leave points, or "
                                                          "come here again"));
}

TEST(PartingLanes, TakeNoLongerWhereOneWayIsEmpty) {
    const std::string code = "@P0 BRA J; " + chain + "J: FADD R6, R4, R5; EXIT;";
    EXPECT_EQ(times(code, {0}).upper, times(code, {}).upper);
}

TEST(PartingLanes, TurnALoopAsOftenAsOneOfThemMay) {
    const std::string code = "NOP; L: FADD R4, R4, R4; @P0 BRA L; EXIT;";
    const std::vector<models::LoopFact> loop{{8, 1, 7, {}}};
    EXPECT_EQ(times(code, {16}, loop).upper, times(code, {}, loop).upper);
}

TEST(PartingLanes, LeaveALoopInEachTurnWithCodeBeforeTheyMeet) {
    const std::string code =
        "SSY D; L: FADD R4, R4, R4; @P0 BRA L; FADD R5, R5, R5; NOP.S; D: EXIT;";
    const auto upper = [&](std::int64_t turns, const std::vector<std::int64_t>& parts) {
        return times(code, parts, {{8, 1, turns, {}}}).upper;
    };
    // Two instructions in every turn, of which those who go on wait for none.
    const std::int64_t more = upper(7, {16}) - upper(7, {});
    EXPECT_GE(more, 6 * 2 * 6);
    EXPECT_GT(more, upper(4, {16}) - upper(4, {}));
}

/// A loop that lanes leave in its middle, too; all of them come over the last NOP.S.
std::string left_at_two_places(const std::string& tail) {
    return "SSY D; L: FADD R4, R4, R4; @P1 BRA T; FADD R7, R7, R7; @P0 BRA L; " + tail +
           "T: FADD R5, R5, R5; NOP.S; D: EXIT;";
}

TEST(PartingLanes, LeaveALoopAtSeveralPlacesInEachTurn) {
    const std::string code = left_at_two_places("MOV R6, R5; ");
    const auto upper = [&](std::int64_t turns, const std::vector<std::int64_t>& parts) {
        return times(code, parts, {{8, 1, turns, {}}}).upper;
    };
    // In each turn some may leave at both places, at once or later: two instructions and three.
    EXPECT_GE(upper(7, {16, 32}) - upper(7, {}), 6 * (2 + 3) * 6);
    EXPECT_GT(upper(7, {16, 32}), upper(7, {16}));
    EXPECT_GT(upper(7, {16, 32}), upper(7, {32}));
}

// Each who waits for the others is a lane at least.
TEST(PartingLanes, LeaveALoopInNoMoreGroupsThanTheyAre) {
    const std::string code =
        "SSY D; L: FADD R4, R4, R4; @P0 BRA L; FADD R5, R5, R5; NOP.S; D: EXIT;";
    const auto turned = [](const std::string& of, std::int64_t turns,
                           const std::vector<std::int64_t>& parts) {
        models::FlowFacts facts;
        facts.loops = {{8, 1, turns, {}}};
        for (const std::int64_t at : parts)
            facts.divergents.push_back({at, {}});
        const auto context = analyzed(of, facts);
        const auto made = prepare(context->request);
        const auto lanes = lanes_in_turn(made.value());
        EXPECT_TRUE(lanes) << to_string(lanes.error());
        std::int64_t most = 0;
        for (const auto& repeated : lanes.value().repeated)
            most = std::max(most, repeated.value_or(0));
        return most;
    };
    EXPECT_EQ(turned(code, 7, {16}), 7);
    EXPECT_EQ(turned(code, 1'000'000, {16}), 32);
    EXPECT_EQ(turned(left_at_two_places("MOV R6, R5; "), 7, {16, 32}), 14);
    EXPECT_EQ(turned(left_at_two_places("MOV R6, R5; "), 1'000'000, {16, 32}), 32);
}

Result<Analysis> of_two_places(const std::string& tail) {
    models::FlowFacts facts;
    facts.loops = {{8, 1, 4, {}}};
    facts.divergents = {{16, {}}, {32, {}}};
    return analyzed(left_at_two_places(tail), facts)->run();
}

TEST(PartingLanes, LeaveALoopToEndOrToMeetTheOthers) {
    const auto ends = of_two_places("EXIT; ");
    ASSERT_TRUE(ends) << to_string(ends.error());
    const auto meets = of_two_places("");
    ASSERT_TRUE(meets) << to_string(meets.error());
    EXPECT_GT(ends.value().execution_time.upper.proved, meets.value().execution_time.lower.proved);
}

TEST(PartingLanes, AreRefusedWhereTheyLeaveALoopAtSeveralPlacesWithDifferentEnds) {
    for (const char* tail : {"MOV R6, R5; NOP.S; ", "@P2 BRA T; EXIT; "}) {
        const auto analysis = of_two_places(tail);
        ASSERT_FALSE(analysis) << tail;
        EXPECT_THAT(
            analysis.error().what,
            testing::HasSubstr("lanes may leave a loop at several places, with different ends"));
    }
}

// The inner loop's lanes meet behind it, in each turn of the outer one.
TEST(PartingLanes, LeaveALoopInALoop) {
    const std::string code =
        "SSY D; L: FADD R4, R4, R4; SSY E; M: FADD R7, R7, R7; @P1 BRA M; MOV R6, R5; NOP.S; "
        "E: @P0 BRA L; FADD R5, R5, R5; NOP.S; D: EXIT;";
    const auto upper = [&](const std::vector<std::int64_t>& parts) {
        return times(code, parts, {{8, 1, 3, {}}, {24, 1, 3, {}}}).upper;
    };
    EXPECT_GT(upper({32, 56}), upper({32}));
    EXPECT_GT(upper({32, 56}), upper({56}));
}

/// On a Turing whose gaps are short and whose cosine takes 100 cycles.
Result<Analysis> of_turing(const std::string& body, const std::vector<std::int64_t>& parts,
                           const std::vector<models::LoopFact>& loops = {}) {
    models::FlowFacts facts;
    facts.loops = loops;
    for (const std::int64_t at : parts)
        facts.divergents.push_back({at, {}});
    const auto context = analyzed(body, facts, "turing-t4", 75);
    for (const auto& [path, cycles] :
         {std::pair{"control-flow/branch-taken", 5}, std::pair{"control-flow/branch-not-taken", 5},
          std::pair{"classes/special-function/latency", 100}})
        EXPECT_TRUE(models::override_value(context->architecture, path, cycles)) << path;
    return context->run();
}

// Those who arrive at B0 wait until the others have left it, who wait for a result of theirs; then
// they wait for a result of the others.
TEST(PartingLanes, WaitForThoseWhoLeaveTheirPoint) {
    const auto code = [](const std::string& leave, const std::string& also_leave) {
        return "BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; " + leave +
               "@P0 BRA PAST ?trans5; MUFU.COS R5, R9 &wr=0x0 ?trans2; MEET: BSYNC B0 ?trans5; "
               "NOP &req={1} ?trans1; MUFU.COS R5, R9 &wr=0x2 ?trans2; BRA OUT ?trans5; PAST: " +
               also_leave +
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

// The branch transfers those who stay.
TEST(PartingLanes, LeaveTheirPointBehindABranchWithTheOppositeGuard) {
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
    EXPECT_LE(opposite, same + 2 * 12) << "one branch more, for those who leave";
}

// Of those who go straight on some wait at B0 while others end, then come those who leave it, then
// those at B0: all of them wait for a result of the ones before.
TEST(PartingLanes, WaitAtAPointThatOthersLeaveWhileSomeEnd) {
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

// Of a branch in each turn of a loop some leave its point and the loop; those who stay meet there.
TEST(PartingLanes, LeaveALoopFromInsideABranch) {
    const std::string code =
        "BSSY B0, OUT ?trans1; H: BSSY B1, MEET ?trans1; @P0 BRA MEET ?trans5; "
        "@P1 BREAK B1 ?trans1; @P1 BRA T ?trans5; NOP ?trans1; MEET: BSYNC B1 ?trans5; "
        "@P2 BRA H ?trans5; T: MUFU.COS R5, R9 &wr=0x1 ?trans2; NOP &req={1} ?trans1; "
        "OUT: BSYNC B0 ?trans5; EXIT ?trans5;";
    const auto upper = [&](std::int64_t turns) {
        const auto analysis = of_turing(code, {0x20, 0x40, 0x70}, {{0x10, 1, turns, {}}});
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        return analysis ? analysis.value().execution_time.bounds().upper().count() : 0;
    };
    // In each turn some may wait for a result behind the loop, before those who stay meet.
    EXPECT_GT(upper(7) - upper(4), 3 * 100);
    // Where some leave it must be stated, unless nobody parts at the branch around.
    const auto not_stated = of_turing(code, {0x20, 0x70}, {{0x10, 1, 4, {}}});
    ASSERT_FALSE(not_stated);
    EXPECT_THAT(
        to_string(not_stated.error()),
        testing::HasSubstr("0x0040: lanes may leave their point and a turn of a loop here"));
    EXPECT_TRUE(of_turing(code, {0x70}, {{0x10, 1, 4, {}}}));
}

// Who left a loop comes to such another one, at once or behind those who turn on.
TEST(PartingLanes, LeaveALoopFromInsideABranchBehindAnotherLoop) {
    const auto analysis = of_turing(
        "BSSY B0, OUT ?trans1; H: NOP ?trans1; @P0 BRA H ?trans5; BSSY B1, O2 ?trans1; "
        "H2: NOP ?trans1; BSSY B2, M ?trans1; @P1 BRA ELSE ?trans5; @P2 BREAK B2 ?trans1; "
        "@P2 BRA T ?trans5; NOP ?trans1; BRA M ?trans5; ELSE: NOP ?trans1; M: BSYNC B2 ?trans5; "
        "@P3 BRA H2 ?trans5; T: NOP ?trans1; O2: BSYNC B1 ?trans5; OUT: BSYNC B0 ?trans5; "
        "EXIT ?trans5;",
        {0x20, 0x60, 0x80, 0xd0}, {{0x10, 1, 4, {}}, {0x40, 1, 4, {}}});
    EXPECT_TRUE(analysis) << to_string(analysis.error());
}

// As a compiler unrolls such a loop: some leave the point of a branch for one around it, and others
// do so again behind it, or at once when they have not.
TEST(PartingLanes, LeaveAPointInsideABranchAgainAndAgain) {
    const auto upper = [](int branches) {
        std::string code = "BSSY B0, OUT ?trans1; ";
        std::vector<std::int64_t> parts;
        for (int i = 0; i < branches; ++i) {
            const std::string meet = "MEET" + std::to_string(i);
            code += "BSSY B1, " + meet + " ?trans1; @P0 BRA " + meet +
                    " ?trans5; @P1 BREAK B1 ?trans1; @P1 BRA T ?trans5; NOP ?trans1; " + meet +
                    ": BSYNC B1 ?trans5; ";
            parts.push_back(0x10 + 0x60 * i + 0x10);
            parts.push_back(0x10 + 0x60 * i + 0x30);
        }
        code += "NOP ?trans1; T: MUFU.COS R5, R9 &wr=0x1 ?trans2; NOP &req={1} ?trans1; "
                "OUT: BSYNC B0 ?trans5; EXIT ?trans5;";
        const auto analysis = of_turing(code, parts);
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        return analysis ? analysis.value().execution_time.bounds().upper().count() : 0;
    };
    const std::int64_t one = upper(1);
    const std::int64_t twelve = upper(12);
    // Each time some may wait for a result behind T by themselves, at most once or twice.
    EXPECT_GT(twelve - one, 11 * 100);
    EXPECT_LT(twelve - one, 11 * 3 * 150);
}

TEST(PartingLanes, AreRefusedWhereTheyLeaveSeveralPoints) {
    const auto refused = [](const std::string& body, const std::vector<std::int64_t>& parts,
                            const std::string& why) {
        const auto analysis = of_turing(body, parts);
        ASSERT_FALSE(analysis);
        EXPECT_THAT(analysis.error().what, testing::HasSubstr(why));
    };
    // Of B1 as well.
    refused("BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; @P0 BRA PAST ?trans5; NOP ?trans1; "
            "MEET: BSYNC B0 ?trans5; BRA OUT ?trans5; PAST: BREAK B0 ?trans1; BREAK B1 ?trans1; "
            "EXIT ?trans5; OUT: BSYNC B1 ?trans5; EXIT ?trans5;",
            {0x20}, "may leave points that are not their innermost");
    // Lanes that part at the first branch meet at OUT, where no point is.
    refused("@P2 BRA OUT ?trans5; BSSY B0, MEET ?trans1; @P0 BREAK B0 ?trans1; "
            "@P0 BRA PAST ?trans5; MEET: BSYNC B0 ?trans5; PAST: NOP ?trans1; "
            "OUT: EXIT ?trans5;",
            {0x00, 0x30}, "may leave their point while others that parted before");
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

// With the longer way alone, and nothing in the other, barriers split both alike.
TEST(PartingLanes, MeetAtBarriersBehindTheirBranches) {
    const std::string code = "H: @P0 BRA J; " + chain + "J: BAR.SYNC 0x0; @P1 BRA H; EXIT;";
    const models::Launch two_warps{1, 64};
    const std::vector<models::LoopFact> loop{{0, 3, 3, {}}};
    const Times parted = times(code, {0}, loop, two_warps);
    const Times together = times(code, {}, loop, two_warps);
    EXPECT_EQ(parted.upper, together.upper);
    // Only the gap at the branch may be shorter.
    EXPECT_LE(parted.lower, together.lower);
    EXPECT_GT(parted.lower, times("BAR.SYNC 0x0; BAR.SYNC 0x0; EXIT;", {}, {}, two_warps).lower);
    // Both ways between two barriers.
    const std::string sides = "H: SSY J; @P0 BRA L; " + chain + "NOP.S; L: " + chain +
                              "NOP.S; J: BAR.SYNC 0x0; @P1 BRA H; EXIT;";
    const auto more = [&](models::Launch launch) {
        return times(sides, {8}, loop, launch).upper - times(sides, {}, loop, launch).upper;
    };
    EXPECT_GE(more({1, 32}), 3 * 2 * 6);
    EXPECT_GE(more(two_warps), 3 * 2 * 6);
}

TEST(PartingLanes, MeetAtBarriersThatEveryLanePassesEquallyOften) {
    models::FlowFacts facts;
    facts.loops.push_back({0, 2, 3, {}});
    facts.divergents.push_back({0, {}});
    auto context =
        analyzed("H: @P0 BRA J; NOP; J: BAR.SYNC 0x0; @P1 BRA H; EXIT;", std::move(facts));
    context->request.launch = {1, 64};
    const auto analysis = context->run();
    ASSERT_FALSE(analysis);
    EXPECT_THAT(analysis.error().what, testing::HasSubstr("paths pass this barrier 2 to 3 times"));
}

TEST(PartingLanes, MayAccessAloneOrTogetherWhatAPatternSays) {
    models::FlowFacts facts;
    facts.divergents.push_back({0, {}});
    models::MemoryFact& fact = facts.memory.emplace_back();
    fact.at = 8;
    const auto run = [&](std::optional<models::CountRange> passes) {
        fact.conflict_degree = passes;
        fact.pattern.reset();
        if (!passes) fact.pattern.emplace().thread_stride = 128; // All lanes on one bank.
        const auto analysis =
            analyzed("@P0 BRA L; LDS R4, [R2]; L: FADD R4, R4, R4; EXIT;", facts)->run();
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        const auto bounds = analysis.value().execution_time.bounds();
        return std::pair{bounds.lower(), bounds.upper()};
    };
    EXPECT_EQ(run(std::nullopt), run(models::CountRange{1, 32}));
    EXPECT_LT(run(std::nullopt).first, run(models::CountRange{32, 32}).second);
}

TEST(PartingLanes, AreNotAskedOfCopiesThatNothingReaches) {
    const std::string called = "F: SSY S; @P0 BRA A; @P2 EXIT; NOP.S; A: FADD R4, R4, R6; NOP.S; "
                               "S: @P1 BRA F; RET;";
    const std::string twice = "@P3 BRA X; CAL F; EXIT; X: CAL F; EXIT; " + called;
    const std::string once = "@P3 BRA X; X: CAL F; EXIT; " + called;
    models::FlowFacts facts;
    facts.nevers.push_back({0x08, {}});
    facts.divergents.push_back({0x30, {}});
    facts.loops.push_back({0x28, 1, 3, {}});
    const auto analysis = analyzed(twice, facts)->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    EXPECT_EQ(analysis.value().execution_time.upper.proved.count(),
              times(once, {0x20}, {{0x18, 1, 3, {}}}).upper);
}

TEST(PartingLanes, TakeNoWayThatIsNever) {
    const std::string code = "SSY J; @P0 BRA A; FADD R4, R4, R4; BRA B; A: @P1 BRA B; " + chain +
                             chain + "B: NOP.S; J: EXIT;";
    const auto analysis = [&](bool never) {
        models::FlowFacts facts;
        facts.divergents.push_back({0x08, {}});
        if (never) facts.nevers.push_back({0x28, {}});
        return analyzed(code, facts)->run();
    };
    const auto with = analysis(true);
    const auto without = analysis(false);
    ASSERT_TRUE(with) << to_string(with.error());
    ASSERT_TRUE(without) << to_string(without.error());
    EXPECT_LT(with.value().execution_time.upper.proved,
              without.value().execution_time.upper.proved);
}

TEST(PartingLanes, PartNotWhereOneWayIsNever) {
    models::FlowFacts facts;
    facts.loops.push_back({0x08, 1, 6, {}});
    facts.nevers.push_back({0x30, {}});
    facts.divergents.push_back({0x10, {}});
    const auto analysis = analyzed("MOV R10, RZ; L: IADD R10, R10, R11; @P0 BRA N; MOV R3, R6; "
                                   "@P1 BRA L; EXIT; N: MOV R3, R7; EXIT;",
                                   facts)
                              ->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    EXPECT_GT(analysis.value().execution_time.upper.proved.count(), 0);
}

TEST(PartingLanes, AreNamedAmongTheAssumptions) {
    models::FlowFacts facts;
    facts.divergents.push_back({0, {}});
    const auto analysis = analyzed("@P0 BRA L; NOP; L: EXIT;", facts)->run();
    ASSERT_TRUE(analysis);
    std::vector<std::string> texts;
    for (const auto& assumption : analysis.value().assumptions)
        texts.push_back(assumption.text);
    EXPECT_THAT(texts,
                testing::Contains("Lanes of a warp decide differently nowhere but at 0x0000."));
}

} // namespace
} // namespace warpbound::analyzer

#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

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
    auto problem = analyzed(body, facts);
    problem->request.launch = launch;
    const auto analysis = problem->run();
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
    EXPECT_THAT(most("SSY J; @P0 BRA L; " + chain + "BRA M; L: " + chain + "M: NOP.S; J: EXIT;"),
                ElementsAre(1, 1, 1, 2, 1));
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
    auto problem =
        analyzed("H: @P0 BRA J; NOP; J: BAR.SYNC 0x0; @P1 BRA H; EXIT;", std::move(facts));
    problem->request.launch = {1, 64};
    const auto analysis = problem->run();
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

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/preparation.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound::analyzer {
namespace {

struct TimeBounds {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
};

/// On Fermi, whose instructions take 8 bytes; `divergent_at`: addresses of the divergent branches.
TimeBounds time_bounds(const std::string& body, const std::vector<std::int64_t>& divergent_at,
                       const std::vector<models::LoopFact>& loops = {},
                       models::Launch launch = {1, 32}) {
    models::FlowFacts facts;
    facts.loops = loops;
    for (const std::int64_t at : divergent_at)
        facts.divergents.push_back({at, {}});
    auto context = analyzed(body, facts);
    context->request.launch = launch;
    const auto analysis = context->run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    if (!analysis) return {};
    const auto bounds = analysis.value().execution_time.bounds();
    return {bounds.lower().count(), bounds.upper().count()};
}

const std::string two_adds = "FADD R4, R4, R4; FADD R4, R4, R4; ";

TEST(Divergence, SerializesBothPathsOfABranch) {
    const std::string code = "@P0 BRA L; " + two_adds + "BRA J; L: " + two_adds +
                             "MOV R5, R4; J: FADD R6, R4, R5; EXIT;";
    const TimeBounds uniform = time_bounds(code, {});
    const TimeBounds divergent = time_bounds(code, {0});
    // Where the active lanes change, the lower side takes the shorter gap.
    EXPECT_LE(divergent.lower, uniform.lower);
    EXPECT_GT(divergent.lower, time_bounds("NOP; " + two_adds + "EXIT;", {}).lower);
    // The two additions of the other path wait for each other and for those before.
    const TimeBounds serial = time_bounds(
        "NOP; " + two_adds + "NOP; " + two_adds + "MOV R5, R4; FADD R6, R4, R5; EXIT;", {});
    EXPECT_GE(divergent.upper, serial.upper);
    EXPECT_GT(divergent.upper, uniform.upper + 2 * 6);
}

/// A table of three branch targets, the last of which has the longest path.
std::string table(const std::string& targets, const std::string& end = "NOP.S; ") {
    return "SSY J; BRX R2 -0x10 (*\"BRANCH_TARGETS " + targets + "\"*); A: " + two_adds + end +
           "B: MOV R5, R4; NOP.S; C: " + two_adds + two_adds + "NOP.S; J: EXIT;";
}

TEST(Divergence, ExecutesEachPathOnce) {
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
    EXPECT_THAT(most("SSY J; @P0 BRA L; " + two_adds + "NOP.S; L: " + two_adds + "NOP.S; J: EXIT;"),
                ElementsAre(1, 1, 1, 1));
    // Each path executes what both share.
    EXPECT_THAT(most("SSY J; @P0 BRA L; " + two_adds + "L: NOP.S; J: EXIT;"),
                ElementsAre(1, 1, 2, 1));
    EXPECT_THAT(most(table("A,B,C")), ElementsAre(1, 1, 1, 1, 1));
    EXPECT_THAT(most(table("A,B,C", "")),
                testing::UnorderedElementsAre(1, 1, 1, 1, 2)); // A leads on to B.
    EXPECT_THAT(
        most("SSY J; @P0 BRA L; " + two_adds + "BRA M; L: " + two_adds + "M: NOP.S; J: EXIT;"),
        ElementsAre(1, 1, 1, 2, 1));
}

TEST(Divergence, ExecutesEachPathOfAMultiwayBranchOnceInAnyOrder) {
    const std::string code = table("A,B,C");
    const TimeBounds divergent = time_bounds(code, {8});
    const TimeBounds serial = time_bounds("SSY J; NOP; " + two_adds + "NOP; MOV R5, R4; NOP; " +
                                              two_adds + two_adds + "NOP.S; J: EXIT;",
                                          {});
    EXPECT_GE(divergent.upper, serial.upper);
    EXPECT_EQ(time_bounds(code, {}).lower, time_bounds(table("B"), {}).lower);
    EXPECT_LE(divergent.lower, time_bounds(code, {}).lower);
    // Two of the three targets are the same block.
    EXPECT_EQ(time_bounds(table("A,B,B"), {8}).upper, time_bounds(table("A,B"), {8}).upper);
}

TEST(Divergence, IsRefusedWhereAMultiwayBranchIsExecutedAgain) {
    models::FlowFacts facts;
    facts.loops.push_back({0, 1, 4, {}});
    facts.divergents.push_back({8, {}});
    const auto analysis =
        analyzed("H: NOP; BRX R2 -0x10 (*\"BRANCH_TARGETS A,B,C\"*); A: MOV R5, R4; BRA H; B: "
                 "MOV R6, R4; BRA J; C: MOV R7, R4; J: EXIT;",
                 facts)
            ->run();
    ASSERT_FALSE(analysis);
    EXPECT_THAT(analysis.error().what,
                testing::HasSubstr("0x0000: lanes may iterate this loop while others that diverged "
                                   "from them at 0x0008 are to go on inside it"));
}

TEST(Divergence, CostsNothingWhereOnePathIsEmpty) {
    const std::string code = "@P0 BRA J; " + two_adds + "J: FADD R6, R4, R5; EXIT;";
    EXPECT_EQ(time_bounds(code, {0}).upper, time_bounds(code, {}).upper);
}

TEST(Divergence, IteratesALoopAsOftenAsOneLaneMay) {
    const std::string code = "NOP; L: FADD R4, R4, R4; @P0 BRA L; EXIT;";
    const std::vector<models::LoopFact> loop{{8, 1, 7, {}}};
    EXPECT_EQ(time_bounds(code, {16}, loop).upper, time_bounds(code, {}, loop).upper);
}

TEST(Divergence, AtALoopExitExecutesTheExitPathInEachIteration) {
    const std::string code =
        "SSY D; L: FADD R4, R4, R4; @P0 BRA L; FADD R5, R5, R5; NOP.S; D: EXIT;";
    const auto upper = [&](std::int64_t iterations, const std::vector<std::int64_t>& divergent_at) {
        return time_bounds(code, divergent_at, {{8, 1, iterations, {}}}).upper;
    };
    // Two instructions in every iteration, for neither of which the remaining lanes wait.
    const std::int64_t more = upper(7, {16}) - upper(7, {});
    EXPECT_GE(more, 6 * 2 * 6);
    EXPECT_GT(more, upper(4, {16}) - upper(4, {}));
}

/// A loop that lanes leave in its middle, too; all of them pass the last NOP.S.
std::string loop_with_two_exits(const std::string& tail) {
    return "SSY D; L: FADD R4, R4, R4; @P1 BRA T; FADD R7, R7, R7; @P0 BRA L; " + tail +
           "T: FADD R5, R5, R5; NOP.S; D: EXIT;";
}

TEST(Divergence, AtSeveralLoopExitsExecutesEachExitPathInEachIteration) {
    const std::string code = loop_with_two_exits("MOV R6, R5; ");
    const auto upper = [&](std::int64_t iterations, const std::vector<std::int64_t>& divergent_at) {
        return time_bounds(code, divergent_at, {{8, 1, iterations, {}}}).upper;
    };
    // In each iteration some may leave at both exits, at once or pending: two instructions and
    // three.
    EXPECT_GE(upper(7, {16, 32}) - upper(7, {}), 6 * (2 + 3) * 6);
    EXPECT_GT(upper(7, {16, 32}), upper(7, {16}));
    EXPECT_GT(upper(7, {16, 32}), upper(7, {32}));
}

// Each pending group is at least one lane: with the first, one for each lane.
TEST(Divergence, AtALoopExitMakesNoMoreGroupsThanLanes) {
    const std::string code =
        "SSY D; L: FADD R4, R4, R4; @P0 BRA L; FADD R5, R5, R5; NOP.S; D: EXIT;";
    const auto max_groups = [](const std::string& of, std::int64_t iterations,
                               const std::vector<std::int64_t>& divergent_at) {
        models::FlowFacts facts;
        facts.loops = {{8, 1, iterations, {}}};
        for (const std::int64_t at : divergent_at)
            facts.divergents.push_back({at, {}});
        const auto context = analyzed(of, facts);
        const auto made = prepare(context->request);
        const auto cfg = serialized_cfg(made.value().kernel);
        EXPECT_TRUE(cfg) << to_string(cfg.error());
        std::int64_t most = 0;
        for (const auto& repeated : cfg.value().repeated)
            most = std::max(most, repeated.value_or(0));
        return most;
    };
    EXPECT_EQ(max_groups(code, 7, {16}), 6);
    EXPECT_EQ(max_groups(code, 1'000'000, {16}), 31);
    EXPECT_EQ(max_groups(loop_with_two_exits("MOV R6, R5; "), 7, {16, 32}), 6 + 7);
    EXPECT_EQ(max_groups(loop_with_two_exits("MOV R6, R5; "), 1'000'000, {16, 32}), 31);
}

Result<Analysis> of_two_exits(const std::string& tail) {
    models::FlowFacts facts;
    facts.loops = {{8, 1, 4, {}}};
    facts.divergents = {{16, {}}, {32, {}}};
    return analyzed(loop_with_two_exits(tail), facts)->run();
}

TEST(Divergence, AtLoopExitsMayEndOrReconverge) {
    const auto ends = of_two_exits("EXIT; ");
    ASSERT_TRUE(ends) << to_string(ends.error());
    const auto meets = of_two_exits("");
    ASSERT_TRUE(meets) << to_string(meets.error());
    EXPECT_GT(ends.value().execution_time.upper.proved, meets.value().execution_time.lower.proved);
}

// They are as many groups as those that go on the same way.
TEST(Divergence, AtSeveralLoopExitsMayEndDifferently) {
    const auto same = of_two_exits("MOV R6, R5; ");
    ASSERT_TRUE(same) << to_string(same.error());
    for (const char* tail : {"MOV R6, R5; NOP.S; ", "@P2 BRA T; EXIT; "}) {
        const auto analysis = of_two_exits(tail);
        ASSERT_TRUE(analysis) << tail << to_string(analysis.error());
        EXPECT_GT(analysis.value().execution_time.upper.proved,
                  same.value().execution_time.lower.proved);
    }
}

// Those who wait around the point go on behind code that no path of a lane leads there from.
TEST(Divergence, MayMakeLanesWaitAroundThePointAtWhichOthersMeet) {
    const std::string cosines = "MUFU.COS R4, R4; MUFU.COS R4, R4; ";
    const auto adds = [](const std::string& code, std::int64_t at) {
        EXPECT_GT(time_bounds(code, {at}).upper, time_bounds(code, {}).upper) << code;
        EXPECT_LE(time_bounds(code, {at}).lower, time_bounds(code, {}).lower) << code;
    };
    // Some meet, go on and break; the others come to N only then.
    adds("PBK O; PCNT N; SSY J; @P0 BRA A; CONT; A: NOP.S; J: BRK; N: " + cosines + "BRK; O: EXIT;",
         24);
    // All break or continue, so that nobody meets at J.
    adds("PBK O; PCNT N; SSY J; @P0 BRA A; MUFU.COS R8, R8; BRK; A: " + cosines +
             "CONT; J: NOP; N: FADD R9, R8, R8; BRK; O: EXIT;",
         24);
    // Some meet and end, the others come to O only then.
    adds("PBK O; SSY J; @P0 BRA A; BRK; A: NOP.S; J: EXIT; O: " + cosines + "EXIT;", 16);
    // The same where the branch itself leaves the point.
    adds("PBK O; SSY J; @P0 BRK; NOP.S; J: EXIT; O: " + cosines + "EXIT;", 16);
    adds("PBK O; SSY J; @P0 BRA A; BRK; A: NOP.S; J: BRK; O: EXIT;", 16);
}

// The inner loop's lanes reconverge after it, in each iteration of the outer one.
TEST(Divergence, AtALoopExitOfANestedLoopReconvergesInTheOuterLoop) {
    const std::string code =
        "SSY D; L: FADD R4, R4, R4; SSY E; M: FADD R7, R7, R7; @P1 BRA M; MOV R6, R5; NOP.S; "
        "E: @P0 BRA L; FADD R5, R5, R5; NOP.S; D: EXIT;";
    const auto upper = [&](const std::vector<std::int64_t>& divergent_at) {
        return time_bounds(code, divergent_at, {{8, 1, 3, {}}, {24, 1, 3, {}}}).upper;
    };
    EXPECT_GT(upper({32, 56}), upper({32}));
    EXPECT_GT(upper({32, 56}), upper({56}));
}

// One path is empty, so barriers split the divergent and the uniform path equally.
TEST(Divergence, ReconvergesBeforeBarriers) {
    const std::string code = "H: @P0 BRA J; " + two_adds + "J: BAR.SYNC 0x0; @P1 BRA H; EXIT;";
    const models::Launch two_warps{1, 64};
    const std::vector<models::LoopFact> loop{{0, 3, 3, {}}};
    const TimeBounds divergent = time_bounds(code, {0}, loop, two_warps);
    const TimeBounds uniform = time_bounds(code, {}, loop, two_warps);
    EXPECT_EQ(divergent.upper, uniform.upper);
    // Only the gap at the branch may be shorter.
    EXPECT_LE(divergent.lower, uniform.lower);
    EXPECT_GT(divergent.lower,
              time_bounds("BAR.SYNC 0x0; BAR.SYNC 0x0; EXIT;", {}, {}, two_warps).lower);
    // Both paths between two barriers.
    const std::string both_paths = "H: SSY J; @P0 BRA L; " + two_adds + "NOP.S; L: " + two_adds +
                                   "NOP.S; J: BAR.SYNC 0x0; @P1 BRA H; EXIT;";
    const auto more = [&](models::Launch launch) {
        return time_bounds(both_paths, {8}, loop, launch).upper -
               time_bounds(both_paths, {}, loop, launch).upper;
    };
    EXPECT_GE(more({1, 32}), 3 * 2 * 6);
    EXPECT_GE(more(two_warps), 3 * 2 * 6);
}

// The loop's exit is decided alike by all threads of a block, whose number of iterations is not
// known: the most count.
TEST(Divergence, CountsTheMostBarriersThatAPathPasses) {
    const auto upper = [](std::int64_t least) {
        models::FlowFacts facts;
        facts.loops.push_back({0, least, 3, {}});
        facts.divergents.push_back({0, {}});
        auto context =
            analyzed("H: @P0 BRA J; NOP; J: BAR.SYNC 0x0; @P1 BRA H; EXIT;", std::move(facts));
        context->request.launch = {1, 64};
        return envelope(*context).bounds().upper();
    };
    EXPECT_EQ(upper(2), upper(3));
}

TEST(Divergence, LetsAnyLanesOfAPatternAccessMemory) {
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

TEST(Divergence, IgnoresCallContextsThatNothingReaches) {
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
              time_bounds(once, {0x20}, {{0x18, 1, 3, {}}}).upper);
}

TEST(Divergence, TakesNoPathThatIsNeverExecuted) {
    const std::string code = "SSY J; @P0 BRA A; FADD R4, R4, R4; BRA B; A: @P1 BRA B; " + two_adds +
                             two_adds + "B: NOP.S; J: EXIT;";
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

TEST(Divergence, DoesNotOccurWhereOnePathIsNeverExecuted) {
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

/// Code of divergent diamonds: a chain, or each arm with a diamond inside it.
struct Diamonds {
    std::string code;
    models::FlowFacts facts;
    std::int64_t address = 0;
    int labels = 0;

    void put(const std::string& instruction) {
        code += instruction + ";\n";
        address += 8;
    }
    void add(int depth) {
        if (depth == 0) return put("FADD R4, R4, R4");
        const int label = labels++;
        put(fmt::format("SSY J{}", label));
        facts.divergents.push_back({address, {}});
        put(fmt::format("@P0 BRA A{}", label));
        add(depth - 1);
        put("NOP.S");
        code += fmt::format("A{}:\n", label);
        add(depth - 1);
        put("NOP.S");
        code += fmt::format("J{}:\n", label);
    }
    [[nodiscard]] Result<SerializedCfg> cfg() {
        put("EXIT");
        const auto context = analyzed(code, facts);
        const auto made = prepare(context->request);
        return serialized_cfg(made.value().kernel);
    }
};

// Each diamond of a chain reconverges before the next: its two arms have a second node each.
TEST(Divergence, InAChainAddsTheSameNodesForEachBranch) {
    const auto nodes_of = [](int length) {
        Diamonds chain;
        for (int i = 0; i < length; ++i)
            chain.add(1);
        const auto cfg = chain.cfg();
        EXPECT_TRUE(cfg) << to_string(cfg.error());
        return cfg ? cfg.value().original.size() : 0;
    };
    const std::size_t one = nodes_of(101) - nodes_of(100);
    EXPECT_EQ(nodes_of(6000) - nodes_of(100), 5900 * one);
}

// An unrolled loop that lanes leave early, to wait for the others: whichever of them are pending.
TEST(Divergence, AtAHundredExitsToOneBlockCostsWhatOneExitDoes) {
    std::string code;
    std::vector<std::int64_t> exits;
    for (std::int64_t i = 0; i < 100; ++i) {
        code += "@P0 BRA OUT; " + two_adds + "\n";
        exits.push_back(i * 24);
    }
    code += "OUT: FADD R5, R5, R5; EXIT;";
    EXPECT_EQ(time_bounds(code, exits).upper, time_bounds(code, {exits.front()}).upper);
}

TEST(Divergence, ThatIsNestedTooDeeplyIsRefusedWithTheLimit) {
    Diamonds nested;
    nested.add(9);
    const auto cfg = nested.cfg();
    ASSERT_FALSE(cfg);
    // Each of the 9 levels doubles what comes before the reconvergence, so 511 branches need more.
    EXPECT_THAT(cfg.error().what, testing::HasSubstr("nested so deeply"));
    EXPECT_THAT(cfg.error().what, testing::HasSubstr("the limit for"));
}

TEST(Divergence, IsNamedAmongTheAssumptions) {
    models::FlowFacts facts;
    facts.divergents.push_back({0, {}});
    const auto analysis = analyzed("@P0 BRA L; NOP; L: EXIT;", facts)->run();
    ASSERT_TRUE(analysis);
    std::vector<std::string> texts;
    for (const auto& assumption : analysis.value().assumptions)
        texts.push_back(assumption.text);
    EXPECT_THAT(texts,
                testing::Contains("Lanes of a warp agree at every branch and guarded instruction "
                                  "except at 0x0000, where they may diverge."));
}

} // namespace
} // namespace warpbound::analyzer

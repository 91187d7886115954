#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpbound::analyzer {
namespace {

/// Fermi: two schedulers, an issue slot of 2 cycles, 6 cycles between issues of a warp.
Analysis of_launch(const std::string& body, models::Launch launch, models::FlowFacts facts = {},
                   std::int64_t multiprocessors = 1, const char* policy = "gto") {
    auto problem = analyzed(body, std::move(facts));
    problem->request.policy = models::read_policy(policy).value();
    problem->request.launch = launch;
    problem->request.multiprocessors = multiprocessors;
    for (auto& value : problem->architecture.blocks.values) // The description does not know them.
        value.interval = models::Interval{3, 3, 3};
    auto analysis = problem->run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    return std::move(analysis).value();
}

std::int64_t upper(const Analysis& analysis) {
    return analysis.execution_time.upper.proved.count();
}
std::int64_t lower(const Analysis& analysis) {
    return analysis.execution_time.lower.proved.count();
}

const std::string moves = "MOV R1, R2; MOV R3, R4; MOV R5, R6; EXIT;";

TEST(ManyWarps, OfDifferentSchedulersDoNotDelayEachOther) {
    EXPECT_EQ(upper(of_launch(moves, {1, 64})), upper(of_launch(moves, {1, 32})));
    EXPECT_EQ(lower(of_launch(moves, {1, 64})), lower(of_launch(moves, {1, 32})));
}

TEST(ManyWarps, OfOneSchedulerTakeTheirIssueSlots) {
    const std::int64_t alone = upper(of_launch(moves, {1, 32}));
    constexpr std::int64_t work = 4 * 2; // instructions x issue slot
    EXPECT_EQ(upper(of_launch(moves, {1, 128})), alone + work);
    EXPECT_EQ(upper(of_launch(moves, {1, 256})), alone + 3 * work);
    EXPECT_EQ(upper(of_launch(moves, {4, 64})), alone + 3 * work);
}

TEST(ManyWarps, FillTheSchedulerFromBelow) {
    // 24 warps on one scheduler choose 4 times each; the last slot need not be over.
    EXPECT_EQ(lower(of_launch(moves, {1, 1536})), 24 * 4 * 2 - 1);
}

TEST(ManyWarps, DrainTheirStoresOneAfterAnother) {
    models::FlowFacts facts;
    facts.memory.push_back(
        {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    const Analysis one = of_launch("ST [R2], R3; EXIT;", {1, 32}, facts);
    const Analysis two = of_launch("ST [R2], R3; EXIT;", {1, 64}, facts);
    EXPECT_GT(upper(two), upper(one));
    EXPECT_GT(lower(two), lower(one));
}

TEST(ManyWarps, OfBlocksThatAllFitMayBeOnOneMultiprocessor) {
    // Up to 8 blocks are on one, whatever else there is; from below they are spread out.
    EXPECT_EQ(upper(of_launch(moves, {8, 64}, {}, 4)), upper(of_launch(moves, {8, 64})));
    EXPECT_EQ(upper(of_launch(moves, {16, 64}, {}, 2)), upper(of_launch(moves, {8, 64})));
    EXPECT_EQ(lower(of_launch(moves, {16, 192}, {}, 2)), lower(of_launch(moves, {8, 192})));
}

TEST(ManyWarps, OnMoreMultiprocessorsAreNotBoundedMoreLoosely) {
    const auto bound = [](std::int64_t multiprocessors) {
        return of_launch(moves, {60, 192}, {}, multiprocessors);
    };
    EXPECT_LT(upper(bound(4)), upper(bound(2)));
    EXPECT_LT(lower(bound(4)), lower(bound(2)));
    EXPECT_LT(upper(bound(7)), upper(bound(4)));
}

// The slow path has a long latency, the busy one many choices: in turn nobody can be delayed by all
// choices of the busy ones while it takes the slow one.
TEST(ManyWarps, OfLooseRoundRobinWaitForATurnOfEachOther) {
    std::string body = "@P0 BRA BUSY; ";
    for (int i = 0; i < 20; ++i)
        body += "MOV R1, R1; ";
    body += "EXIT; BUSY: ";
    for (int i = 0; i < 40; ++i)
        body += "MOV R" + std::to_string(i) + ", RZ; ";
    body += "EXIT;";
    const models::Launch launch{1, 128};
    const Analysis any = of_launch(body, launch);
    const Analysis in_turn = of_launch(body, launch, {}, 1, "lrr");
    EXPECT_LT(upper(in_turn), upper(any));
    EXPECT_NE(in_turn.execution_time.upper.terms.front().text.find("loose round robin"),
              std::string::npos);
    const auto says = [](const Analysis& analysis, const std::string& start) {
        return std::count_if(
            analysis.assumptions.begin(), analysis.assumptions.end(),
            [&](const auto& assumption) { return assumption.text.rfind(start, 0) == 0; });
    };
    EXPECT_EQ(says(in_turn, "Warp schedulers choose in loose round robin."), 1);
    EXPECT_EQ(says(in_turn, "A warp scheduler that has a warp"), 0);
    EXPECT_EQ(says(any, "A warp scheduler that has a warp"), 1);
    EXPECT_EQ(in_turn.assumptions.size(), any.assumptions.size());
}

// Blocks of other waves cannot pass either.
TEST(ManyWarps, OfLooseRoundRobinInSeveralWavesAreBelowThoseOfAnyPolicy) {
    const models::Launch launch{64, 32};
    EXPECT_LT(upper(of_launch(moves, launch, {}, 2, "lrr")),
              upper(of_launch(moves, launch, {}, 2)));
}

// Two schedulers with two places each: the slot of the EXIT before still runs when a block begins
// in its place, and the other place's warp is chosen first. Eight warps of a scheduler, 2 cycles
// each.
TEST(ManyWarps, OfLooseRoundRobinWaitForTheSlotOfTheWarpBeforeThem) {
    auto kernel = analyzed("EXIT;");
    tests::put_value(kernel->architecture, "limits/max-blocks", {4, std::nullopt, 4});
    tests::put_value(kernel->architecture, "schedulers/issue-slot", {2, std::nullopt, 2});
    for (const char* cost : {"blocks/replacement", "blocks/start"})
        tests::put_value(kernel->architecture, cost, {0, std::nullopt, 0});
    kernel->request.launch = {16, 32};
    kernel->request.policy = models::read_policy("lrr").value();
    const auto analysis = kernel->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    EXPECT_EQ(upper(analysis.value()), 15); // also that of every run
    EXPECT_EQ(lower(analysis.value()), 15);
}

TEST(ManyWarps, SayWhatTheBoundAddsUpFrom) {
    for (const auto& [launch, multiprocessors] : {std::pair{models::Launch{1, 64}, 1},
                                                  {models::Launch{3, 96}, 1},
                                                  {models::Launch{50, 96}, 3}}) {
        const Analysis analysis =
            of_launch("MOV R1, R2; BAR.SYNC 0x0; LDS R3, [R4]; MOV R5, R3; EXIT;", launch, {},
                      multiprocessors);
        for (const SideResult* side :
             {&analysis.execution_time.lower, &analysis.execution_time.upper}) {
            std::int64_t sum = 0;
            for (const BoundTerm& term : side->terms)
                sum += term.count * term.cycles;
            EXPECT_EQ(sum, side->proved.count());
            EXPECT_FALSE(side->terms.empty());
        }
        EXPECT_LT(lower(analysis), upper(analysis));
    }
}

TEST(ManyWarps, BoundNoTimeBetweenClockReads) {
    const Analysis analysis =
        of_launch("S2R R1, SR_CLOCKLO; MOV R3, R4; S2R R2, SR_CLOCKLO; EXIT;", {1, 64});
    EXPECT_FALSE(analysis.measured_time);
    EXPECT_NE(analysis.measured_time_absent.find("only where it runs alone"), std::string::npos);
}

} // namespace
} // namespace warpbound::analyzer

#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpbound::analyzer {
namespace {

/// Fermi: two schedulers, an issue slot of 2 cycles, 6 cycles between issues of a warp.
Analysis of_launch(const std::string& body, models::Launch launch, models::FlowFacts facts = {},
                   std::int64_t multiprocessors = 1, const char* policy = "gto") {
    auto context = analyzed(body, std::move(facts));
    context->request.policy = models::read_policy(policy).value();
    context->request.launch = launch;
    context->request.multiprocessors = multiprocessors;
    for (auto& value : context->architecture.blocks.values) // The description does not know them.
        value.interval = models::Interval{3, 3, 3};
    auto analysis = context->run();
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

TEST(WorkConserving, OfDifferentSchedulersDoNotDelayEachOther) {
    EXPECT_EQ(upper(of_launch(moves, {1, 64})), upper(of_launch(moves, {1, 32})));
    EXPECT_EQ(lower(of_launch(moves, {1, 64})), lower(of_launch(moves, {1, 32})));
}

TEST(WorkConserving, OfOneSchedulerTakeTheirIssueSlots) {
    const std::int64_t alone = upper(of_launch(moves, {1, 32}));
    constexpr std::int64_t work = 4 * 2; // instructions x issue slot
    EXPECT_EQ(upper(of_launch(moves, {1, 128})), alone + work);
    EXPECT_EQ(upper(of_launch(moves, {1, 256})), alone + 3 * work);
    EXPECT_EQ(upper(of_launch(moves, {4, 64})), alone + 3 * work);
}

TEST(WorkConserving, FillTheSchedulerFromBelow) {
    // 24 warps on one scheduler choose 4 times each; the last slot need not be over.
    EXPECT_EQ(lower(of_launch(moves, {1, 1536})), 24 * 4 * 2 - 1);
}

TEST(WorkConserving, DrainTheirStoresOneAfterAnother) {
    models::FlowFacts facts;
    facts.memory.push_back(
        {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    const Analysis one = of_launch("ST [R2], R3; EXIT;", {1, 32}, facts);
    const Analysis two = of_launch("ST [R2], R3; EXIT;", {1, 64}, facts);
    EXPECT_GT(upper(two), upper(one));
    EXPECT_GT(lower(two), lower(one));
}

TEST(WorkConserving, OfBlocksThatAllFitMayBeOnOneMultiprocessor) {
    // Up to 8 blocks are on one, whatever else there is; from below they are spread out.
    EXPECT_EQ(upper(of_launch(moves, {8, 64}, {}, 4)), upper(of_launch(moves, {8, 64})));
    EXPECT_EQ(upper(of_launch(moves, {16, 64}, {}, 2)), upper(of_launch(moves, {8, 64})));
    EXPECT_EQ(lower(of_launch(moves, {16, 192}, {}, 2)), lower(of_launch(moves, {8, 192})));
}

TEST(WorkConserving, OnMoreMultiprocessorsAreNotBoundedMoreLoosely) {
    const auto bound = [](std::int64_t multiprocessors) {
        return of_launch(moves, {60, 192}, {}, multiprocessors);
    };
    EXPECT_LT(upper(bound(4)), upper(bound(2)));
    EXPECT_LT(lower(bound(4)), lower(bound(2)));
    EXPECT_LT(upper(bound(7)), upper(bound(4)));
}

// The slow path has a long latency, the busy one many choices: in turn nobody can be delayed by all
// choices of the busy ones while it takes the slow one.
TEST(WorkConserving, OfLooseRoundRobinWaitForATurnOfEachOther) {
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
TEST(WorkConserving, OfLooseRoundRobinInSeveralWavesAreBelowThoseOfAnyPolicy) {
    const models::Launch launch{64, 32};
    EXPECT_LT(upper(of_launch(moves, launch, {}, 2, "lrr")),
              upper(of_launch(moves, launch, {}, 2)));
}

// Two schedulers with two places each: the slot of the EXIT before still runs when a block begins
// in its place, and the other place's warp is chosen first. Eight warps of a scheduler, 2 cycles
// each.
TEST(WorkConserving, OfLooseRoundRobinWaitForTheSlotOfTheWarpBeforeThem) {
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

// Two blocks of four warps, two on each scheduler, an issue slot of 2 cycles. With one barrier a
// warp of the other block may be met in one part on both schedulers, not in both parts.
TEST(WorkConserving, OfAnotherBlockAreMetOnASecondSchedulerInOnePart) {
    const auto kernel = [](int before, int behind) {
        std::string body;
        for (int i = 0; i < before + behind; ++i)
            body += (i == before ? "BAR.SYNC 0x0; MOV R" : "MOV R") + std::to_string(i) + ", RZ; ";
        return body + "EXIT;";
    };
    const auto of_part = [&](int before, int behind, models::Launch launch) {
        for (const BoundTerm& term :
             of_launch(kernel(before, behind), launch).execution_time.upper.terms)
            if (term.certificate.find("-barrier-interval") != std::string::npos)
                return std::pair{term.count, term.cycles};
        return std::pair<std::int64_t, std::int64_t>{0, 0};
    };
    // The barrier and the EXIT are instructions, too.
    EXPECT_EQ(of_part(10, 10, {2, 128}), (std::pair<std::int64_t, std::int64_t>{2, 2 * 11}));
    EXPECT_EQ(of_part(18, 2, {2, 128}), (std::pair<std::int64_t, std::int64_t>{2, 2 * 19}));
    EXPECT_EQ(of_part(10, 10, {4, 128}), (std::pair<std::int64_t, std::int64_t>{6, 2 * 11}));
    EXPECT_EQ(of_part(10, 10, {1, 128}).first, 0);
    const std::int64_t one = upper(of_launch(kernel(10, 10), {1, 128}));
    EXPECT_EQ(upper(of_launch(kernel(10, 10), {2, 128})), one + 2 * (22 * 2) + 2 * 22);
}

// Of a block of 4 warps with 8 parts: all of it once, not all of its warps.
TEST(WorkConserving, WithManyBarriersDoNotMeetAllWarpsOfOtherBlocks) {
    std::string body;
    for (int part = 0; part < 8; ++part) {
        for (int i = 0; i < 20; ++i)
            body += "MOV R" + std::to_string(i) + ", RZ; ";
        body += "BAR.SYNC 0x0; ";
    }
    const std::int64_t work = 2 * (8 * 21 + 1); // Of a warp.
    constexpr std::int64_t part = 2 * 21;
    for (const std::int64_t warps : {4, 8}) {
        const auto of_blocks = [&](std::int64_t blocks) {
            return upper(of_launch(body + "EXIT;", {blocks, 32 * warps}));
        };
        const std::int64_t on_scheduler = warps / 2;
        EXPECT_EQ(of_blocks(2) - of_blocks(1), on_scheduler * work + 8 * on_scheduler * part);
        EXPECT_LT(of_blocks(2) - of_blocks(1), warps * work);
    }
}

// 60 blocks of one warp in eight places of one multiprocessor, four of each scheduler: 59 before
// the last one starts, of which 29 were on the scheduler that had fewer, then four beside each
// other.
TEST(WorkConserving, OfOneMultiprocessorThatFollowEachOtherStayOnTheirSchedulers) {
    std::int64_t met = 0;
    for (const BoundTerm& term : of_launch(moves, {60, 32}).execution_time.upper.terms)
        if (term.certificate == "execution-time-upper-demand-own-scheduler") met += term.count;
    EXPECT_EQ(met, 29 + 4);
}

TEST(WorkConserving, SayWhatTheBoundAddsUpFrom) {
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

TEST(WorkConserving, BoundNoTimeBetweenClockReads) {
    const Analysis analysis =
        of_launch("S2R R1, SR_CLOCKLO; MOV R3, R4; S2R R2, SR_CLOCKLO; EXIT;", {1, 64});
    EXPECT_FALSE(analysis.measured_time);
    EXPECT_NE(analysis.measured_time_absent.find("only where it runs alone"), std::string::npos);
}

} // namespace
} // namespace warpbound::analyzer

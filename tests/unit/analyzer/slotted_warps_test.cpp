#include "analyzer/slotted_warps.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Analyzed> slotted(const std::string& body, std::int64_t threads,
                                  models::FlowFacts facts = {},
                                  const char* policy = "variable-rate:fast=0,every=2") {
    auto problem = analyzed(body, std::move(facts));
    problem->request.launch = {1, threads};
    problem->request.policy = models::read_policy(policy).value();
    return problem;
}

Envelope envelope(const Analyzed& problem) {
    const auto analysis = problem.run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    return analysis.value().execution_time;
}

LaunchShape shape(std::int64_t warps) {
    LaunchShape shape;
    shape.warps_per_block = warps;
    shape.schedulers = 2;
    shape.issue_slot = {2, 2, 2};
    return shape;
}

TEST(SlotPeriods, FollowFromTheRateAndTheNumberOfPlaces) {
    const auto policy = [](const char* text) { return models::read_policy(text).value(); };
    const auto every2 = policy("variable-rate:fast=0,every=2");
    EXPECT_THAT(*slot_periods(every2, shape(2)), ElementsAre(1));        // alone on each scheduler
    EXPECT_THAT(*slot_periods(every2, shape(4)), ElementsAre(4));        // 0 1 0 1
    EXPECT_THAT(*slot_periods(every2, shape(8)), ElementsAre(4, 12));    // 0 1 0 2 0 3
    EXPECT_THAT(*slot_periods(every2, shape(7)), ElementsAre(4, 8, 12)); // 4 and 3 places
    const auto every3 = policy("variable-rate:fast=0,every=3");
    EXPECT_THAT(*slot_periods(every3, shape(6)), ElementsAre(6)); // 0 1 2 0 1 2
    EXPECT_FALSE(slot_periods(every3, shape(8)));                 // 0 1 2 0 3 1 0 2 3
}

// Moves 6 cycles apart: on Fermi a warp with a slot every 4 cycles issues every 8 of them.
TEST(SlottedWarps, IssueInTheirSlots) {
    const Envelope four = envelope(*slotted("MOV R1, R2; MOV R3, R4; EXIT;", 128));
    // Issues at 0, 8, 16; the last move's result is ready 18 cycles after its issue.
    EXPECT_EQ(four.lower.proved.count(), 8 + 18);
    EXPECT_EQ(four.upper.proved.count(), 8 + 18 + 3); // and the first slot begins late
}

TEST(SlottedWarps, AreHardlyLessCertainThanOneWarp) {
    const std::string body =
        "MOV R4, RZ; L: FFMA R8, R8, R3, R3; FADD R9, R8, R2; "
        "IADD R4, R4, 0x1; ISETP.NE.AND P0, PT, R4, 0x40, PT; @P0 BRA L; EXIT;";
    for (const std::int64_t warps : {2, 4, 6, 16, 48}) {
        const Envelope bounds = envelope(*slotted(body, 32 * warps));
        EXPECT_LE(static_cast<double>(bounds.upper.proved.count()),
                  1.05 * static_cast<double>(bounds.lower.proved.count()))
            << warps;
    }
}

TEST(SlottedWarps, LoseSlotsToPortsAndStores) {
    const auto upper = [](const std::string& body, std::int64_t threads) {
        models::FlowFacts facts;
        facts.memory.push_back(
            {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}});
        return envelope(*slotted(body, threads, facts)).upper;
    };
    std::string texts;
    for (const BoundTerm& term : upper("ST [R2], R3; MUFU.COS R1, R2; EXIT;", 1024).terms)
        texts += term.text + "; ";
    EXPECT_THAT(texts, HasSubstr("a port is taken by another"));
    EXPECT_THAT(texts, HasSubstr("the write buffer is full"));
    // Four warps' stores fit the buffer of eight.
    texts.clear();
    for (const BoundTerm& term : upper("ST [R2], R3; EXIT;", 128).terms)
        texts += term.text + "; ";
    EXPECT_THAT(texts, testing::Not(HasSubstr("the write buffer is full")));
}

TEST(SlottedWarps, RefuseWhatTheyDoNotBound) {
    const auto refusal = [](const Analyzed& problem) {
        const auto analysis = problem.run();
        return analysis ? "accepted" : to_string(analysis.error());
    };
    EXPECT_THAT(refusal(*slotted("BAR.SYNC 0x0; EXIT;", 128)),
                HasSubstr("barriers of blocks with several warps"));
    EXPECT_THAT(refusal(*slotted("EXIT;", 256, {}, "variable-rate:fast=0,every=3")),
                HasSubstr("equally far apart"));
    EXPECT_THAT(refusal(*slotted("EXIT;", 32)), HasSubstr("accepted"));
}

} // namespace
} // namespace warpbound::analyzer

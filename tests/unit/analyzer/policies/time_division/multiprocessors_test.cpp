/// \file
/// Time-division launches on several multiprocessors of Fermi: two schedulers, slots of two cycles,
/// moves six cycles apart whose results are ready after 18.
#include "analyzer/policies/time_division/own_delay.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// On two multiprocessors, each with room for two blocks.
std::unique_ptr<Analyzed> on_two(const std::string& body, models::Launch launch,
                                 models::FlowFacts facts = {}) {
    auto context = analyzed(body, std::move(facts));
    tests::put_value(context->architecture, "limits/max-blocks", {2, std::nullopt, 2});
    for (const char* cost : {"blocks/replacement", "blocks/start"})
        tests::put_value(context->architecture, cost, {3, std::nullopt, 5});
    context->request.launch = launch;
    context->request.multiprocessors = 2;
    context->request.policy = models::read_policy("variable-rate:fast=0,every=2").value();
    return context;
}

/// Of the only term with such a text; 0 without one.
std::int64_t cycles_of(const Analyzed& context, const std::string& text) {
    for (const BoundTerm& term : envelope(context).upper.terms)
        if (term.text.find(text) != std::string::npos) return term.count * term.cycles;
    return 0;
}

TEST(SlotDistances, AreThoseOfPlacesThatABlockComesTo) {
    LaunchGeometry shape;
    shape.resident = models::ThreadBlocks{3};
    shape.blocks = models::ThreadBlocks{6};
    shape.multiprocessors = 2;
    shape.issue_slot = {2, 2, 2};
    const auto distances = [&](const char* policy, std::int64_t blocks) {
        return slot_distances(models::read_policy(policy).value(),
                              shape.one_multiprocessor(models::ThreadBlocks{blocks}));
    };
    const SlotDistance fast{4, 4};
    const SlotDistance slow{8, 8}; // 0 1 0 2, whoever is there
    EXPECT_THAT(distances("variable-rate:fast=0,every=2", 1), ElementsAre(fast));
    EXPECT_THAT(distances("variable-rate:fast=0,every=2", 2), ElementsAre(fast, slow));
    EXPECT_THAT(distances("variable-rate:fast=0,every=2", 3), ElementsAre(fast, slow));
    EXPECT_THAT(distances("variable-rate:fast=2,every=2", 2), ElementsAre(slow));
    EXPECT_THAT(distances("variable-rate:fast=2,every=2", 3), ElementsAre(fast, slow));
}

// Each scheduler has two places, whose slots follow each other. Started in the last cycle of a
// slot, its owner issues at 0 and 7; the other one's slots are 1 .. 2, 5 .. 6 and 9 .. 10.
TEST(TimeDivisionOnMultiprocessors, AreSteppedForEveryNumberOfBlocksThatOneMayGet) {
    const auto times = [](std::int64_t blocks) {
        const auto bounds = envelope(*on_two("MOV R1, R2; MOV R3, R4; EXIT;", {blocks, 64}));
        EXPECT_EQ(bounds.upper.proof, Proof::ScheduleExploration);
        return std::pair{bounds.lower.proved.count(), bounds.upper.proved.count()};
    };
    EXPECT_EQ(times(4), (std::pair<std::int64_t, std::int64_t>{9 + 18, 10 + 18})); // all full
    EXPECT_EQ(times(3), (std::pair<std::int64_t, std::int64_t>{9 + 18, 10 + 18})); // one is
    // One block on each, or both on one: alone it may issue at 0 and 7, its other place empty.
    EXPECT_EQ(times(2), (std::pair<std::int64_t, std::int64_t>{7 + 18, 10 + 18}));
}

// All units are the multiprocessor's. Slots are 4 cycles apart: a move of 10 cycles covers 3 of
// them, an exit one. In one wave at most 3 other warps are on the multiprocessor, one beside.
TEST(TimeDivisionOnMultiprocessors, LoseSlotsToTheWarpsOfTheirOwn) {
    const auto lost = [](std::int64_t blocks) {
        const auto context = on_two("@P0 MOV R1, R2; EXIT;", {blocks, 64});
        for (auto& unit : context->architecture.units)
            unit.scope = models::UnitScope::Core;
        auto& moves = context->architecture.classes.at(assembly::OpcodeClass::Move).values.values;
        for (auto& value : moves)
            if (value.name == "initiation") value.interval = models::Interval{10, 10, 10};
        return cycles_of(*context, "another warp occupies a port") +
               cycles_of(*context, "in which a port is occupied") +
               cycles_of(*context, "port that is still occupied");
    };
    EXPECT_EQ(lost(4), lost(3));
    EXPECT_EQ(lost(4), lost(2));
    // In two waves: 5 / 2 blocks before the last one starts and 2 from then on, and a move that
    // still holds its port then, for up to 10 cycles and 3 to the next slot.
    EXPECT_EQ(lost(7), (7 - 1) / 2 * 2 * 16 + 2 * 2 * 16 + 13);
    EXPECT_EQ(lost(5), (5 - 1) / 2 * 2 * 16 + 2 * 2 * 16 + 13); // less than 5 x 2 x 16
}

TEST(TimeDivisionOnMultiprocessors, PassAsManyBlocksAsThePlacesOfAllGoRound) {
    const std::string body = "@P0 MOV R1, R2; EXIT;";
    EXPECT_EQ(cycles_of(*on_two(body, {8, 64}), "replacement and start"), 10);
    EXPECT_EQ(cycles_of(*on_two(body, {9, 64}), "replacement and start"), 2 * 10);
    EXPECT_EQ(cycles_of(*on_two(body, {9, 64}), "wait for the first slot"), 3 * 3);
}

TEST(TimeDivisionOnMultiprocessors, FillABufferOfEachOne) {
    models::FlowFacts facts;
    facts.memory.push_back(
        {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    const auto lost = [&](models::Launch launch) {
        return cycles_of(*on_two("ST [R2], R3; EXIT;", launch, facts), "write buffer is full");
    };
    EXPECT_EQ(lost({4, 128}), 0); // two blocks of four on one, whose buffer holds eight
    EXPECT_GT(lost({4, 160}), 0);
    // One buffer gets at most three blocks up to the start of the last one, and one then has two.
    EXPECT_LT(lost({8, 128}), lost({16, 128}));
}

TEST(TimeDivisionOnMultiprocessors, HaveAPathInTheSlotsOfAPlaceThatIsSurelyTaken) {
    // Latencies are open, so nothing is decided. Three places, one scheduler: 0 1 0 2.
    const auto lower = [](std::int64_t blocks, std::int64_t multiprocessors, const char* policy) {
        const auto context = on_two("MOV R1, R2; MOV R3, R1; EXIT;", {blocks, 32});
        context->request.multiprocessors = multiprocessors;
        tests::put_value(context->architecture, "limits/max-blocks", {3, std::nullopt, 3});
        tests::put_value(context->architecture, "schedulers/count", {1, std::nullopt, 1});
        context->request.policy = models::read_policy(policy).value();
        auto& moves = context->architecture.classes.at(assembly::OpcodeClass::Move).values.values;
        for (auto& value : moves)
            if (value.name == "latency") value.interval = models::Interval{18, 19, 30};
        return envelope(*context).lower.proved.count();
    };
    // Moves 18 cycles apart, seen from the beginnings of slots at least 17: 20 in slots that are 4
    // apart, 24 where they are 8 apart, less the cycle that the run may start within a slot. The
    // last result comes 18 cycles later.
    const char* const fast0 = "variable-rate:fast=0,every=2";
    EXPECT_EQ(lower(6, 2, fast0), 23 + 18);
    EXPECT_EQ(lower(3, 2, fast0), 23 + 18); // two on one
    EXPECT_EQ(lower(3, 3, fast0), 19 + 18); // one on each, in the fast place
    EXPECT_EQ(lower(3, 3, "variable-rate:fast=1,every=2"), 23 + 18);
}

} // namespace
} // namespace warpbound::analyzer

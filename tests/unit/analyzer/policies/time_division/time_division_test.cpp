#include "analyzer/policies/time_division/own_delay.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Analyzed> in_time_slots(const std::string& body, std::int64_t threads,
                                        models::FlowFacts facts = {},
                                        const char* policy = "variable-rate:fast=0,every=2") {
    auto context = analyzed(body, std::move(facts));
    context->request.launch = {1, threads};
    context->request.policy = models::read_policy(policy).value();
    return context;
}

void set_moves(Analyzed& context, std::string_view name, models::Interval interval) {
    auto& timing = context.architecture.classes.at(assembly::OpcodeClass::Move);
    for (auto& value : timing.values.values)
        if (value.name == name) value.interval = interval;
}

LaunchGeometry shape(std::int64_t warps) {
    LaunchGeometry shape;
    shape.warps_per_block = models::Warps{warps};
    shape.schedulers = 2;
    shape.issue_slot = {2, 2, 2};
    return shape;
}

TEST(SlotDistances, FollowFromTheRateAndTheNumberOfPlaces) {
    const auto distances = [](const char* policy, std::int64_t warps) {
        return slot_distances(models::read_policy(policy).value(), shape(warps));
    };
    const auto every = [](std::int64_t cycles) { return SlotDistance{cycles, cycles}; };
    const char* const every2 = "variable-rate:fast=0,every=2";
    EXPECT_THAT(distances(every2, 2), ElementsAre(every(1)));            // alone on each scheduler
    EXPECT_THAT(distances(every2, 4), ElementsAre(every(4)));            // 0 1 0 1
    EXPECT_THAT(distances(every2, 8), ElementsAre(every(4), every(12))); // 0 1 0 2 0 3
    EXPECT_THAT(distances(every2, 7), ElementsAre(every(4), every(8), every(12)));
    const char* const every3 = "variable-rate:fast=0,every=3";
    EXPECT_THAT(distances(every3, 6), ElementsAre(every(6))); // 0 1 2 0 1 2
    // 0 1 2 0 3 1 0 2 3: two other slots and one or two of the fast place
    EXPECT_THAT(distances(every3, 8), ElementsAre(every(6), (SlotDistance{8, 10})));
}

// Moves 6 cycles apart: on Fermi a warp with a slot every 4 cycles issues every 8 of them.
TEST(TimeDivision, IssueInTheirSlots) {
    const Envelope four = envelope(*in_time_slots("MOV R1, R2; MOV R3, R4; EXIT;", 128));
    // A run that starts with a slot: the second warp issues at 2, 10, 18. One that starts in the
    // middle of a slot: its owner issues at 0 and 7, the other one in 1 .. 2, 5 .. 6, 9 .. 10 at 2
    // and 9. The last move's result is ready 18 cycles after its issue.
    EXPECT_EQ(four.lower.proved.count(), 9 + 18);
    EXPECT_EQ(four.upper.proved.count(), 10 + 18);
    EXPECT_EQ(four.upper.proof, Proof::ScheduleExploration);
}

TEST(TimeDivision, AreHardlyLessCertainThanOneWarp) {
    const std::string body =
        "MOV R4, RZ; L: FFMA R8, R8, R3, R3; FADD R9, R8, R2; "
        "IADD R4, R4, 0x1; ISETP.NE.AND P0, PT, R4, 0x40, PT; @P0 BRA L; EXIT;";
    for (const std::int64_t warps : {2, 4, 6, 16, 48}) {
        const Envelope bounds = envelope(*in_time_slots(body, 32 * warps));
        EXPECT_LE(static_cast<double>(bounds.upper.proved.count()),
                  1.05 * static_cast<double>(bounds.lower.proved.count()))
            << warps;
    }
}

TEST(TimeDivision, CoverSlotsThatAreNotEquallyFarApart) {
    const auto context =
        in_time_slots("MOV R1, R2; MOV R3, R4; EXIT;", 256, {}, "variable-rate:fast=0,every=3");
    for (auto& unit : context->architecture.units)
        if (unit.name == "control") unit.scope = models::UnitScope::Core; // schedulers may wait
    set_moves(*context, "latency", {17, 18, 18});                         // and are not stepped
    const Envelope bounds = envelope(*context);
    // A result 18 cycles after the second issue: of the fast warp 6 cycles after the first, of the
    // others 8 to 10, at most 9 after the start.
    EXPECT_EQ(bounds.lower.proved.count(), 6 + 17);
    ASSERT_GE(bounds.upper.terms.size(), 2U);
    EXPECT_EQ(bounds.upper.terms[0].cycles, 10 + 18);
    EXPECT_EQ(bounds.upper.terms[1].cycles, 9);
}

TEST(TimeDivision, LoseSlotsToPortsAndStores) {
    const auto upper = [](const std::string& body, std::int64_t threads) {
        models::FlowFacts facts;
        facts.memory.push_back(
            {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
        return envelope(*in_time_slots(body, threads, facts)).upper;
    };
    std::string texts;
    for (const BoundTerm& term : upper("ST [R2], R3; MUFU.COS R1, R2; EXIT;", 1024).terms)
        texts += term.text + "; ";
    EXPECT_THAT(texts, HasSubstr("another warp occupies a port"));
    EXPECT_THAT(texts, HasSubstr("the write buffer is full"));
    // Four warps' stores fit the buffer of eight.
    texts.clear();
    for (const BoundTerm& term : upper("ST [R2], R3; EXIT;", 128).terms)
        texts += term.text + "; ";
    EXPECT_THAT(texts, testing::Not(HasSubstr("the write buffer is full")));
}

/// The alternative that bounds each blocked slot where it lies.
const BoundExpression& blocked_where_they_lie(const SideResult& upper) {
    const auto is_wanted = [](const BoundExpression& bound) {
        return chosen_sum(bound).text.starts_with("blocked slots where they lie");
    };
    if (is_wanted(upper.bound)) return chosen_sum(upper.bound);
    for (const BoundExpression& part : upper.bound.parts)
        if (is_wanted(part)) return chosen_sum(part);
    throw std::out_of_range{"no bound by blocked slots where they lie"};
}

/// Slots that the slowest warp of `warps` loses when moves hold a port of such scope so long; an
/// exit holds it for one cycle. Slots last two cycles, there are two schedulers.
std::int64_t lost_to_moves(std::int64_t warps, models::UnitScope scope, std::int64_t cycles) {
    // Whether a move executes is open, so that the schedule is not decided.
    const auto context = in_time_slots("@P0 MOV R1, R2; EXIT;", 32 * warps);
    for (auto& unit : context->architecture.units)
        unit.scope = scope;
    set_moves(*context, "initiation", {cycles, cycles, cycles});
    const SideResult upper = envelope(*context).upper;
    std::int64_t lost = 0;
    std::int64_t slot = 0; // From one of the warp to the next one.
    for (const BoundTerm& term : blocked_where_they_lie(upper).terms) {
        if (term.text == "wait for the first slot") slot = term.cycles + 1;
        if (term.text.find("another warp occupies a port") != std::string::npos)
            lost += term.count * term.cycles;
    }
    return lost / slot;
}

// Eight places on each scheduler: 0 1 0 2 .. 0 7.
TEST(TimeDivision, LoseSlotsOnlyToThePlacesThatComeShortlyBefore) {
    const auto lost = [](std::int64_t cycles) {
        return lost_to_moves(16, models::UnitScope::Partition, cycles);
    };
    EXPECT_EQ(lost(2), 0); // free again at the end of the next slot
    EXPECT_EQ(lost(3), 1); // only the fast place comes right before
    EXPECT_EQ(lost(4), 1);
    EXPECT_EQ(lost(5), 2); // and the one before it
    EXPECT_EQ(lost(8), 2); // the fast place again
    EXPECT_EQ(lost(9), 3);
}

// Other schedulers' slots may begin in any cycle, but in the same in all rounds.
TEST(TimeDivision, LoseSlotsToThoseOfOtherSchedulersThatMeetThem) {
    const auto lost = [](std::int64_t cycles) {
        return lost_to_moves(16, models::UnitScope::Core, cycles);
    };
    // Slots in which a use covers the point begin at most cycles + 1 before it. An exit meets one.
    EXPECT_EQ(lost(1), 2);
    EXPECT_EQ(lost(2), 2 + 1);
    EXPECT_EQ(lost(3), 1 + 2 + 1); // the first is of the same scheduler
    EXPECT_EQ(lost(4), 1 + 3 + 1);
}

// Seven warps on two schedulers: those of the fuller one have three elsewhere, whose order is
// shorter, so that all of them meet every slot.
TEST(TimeDivision, LoseSlotsToAllOfASchedulerWithFewerPlaces) {
    EXPECT_EQ(lost_to_moves(6, models::UnitScope::Core, 2), 2 + 1);
    EXPECT_EQ(lost_to_moves(7, models::UnitScope::Core, 2), 3 * 2);
}

// 32 stores of 8 cycles and a buffer of eight. The slow warps' slots are 60 cycles apart: a store
// is in the buffer for at most 64 cycles, and a lost slot has eight of them.
TEST(TimeDivision, LoseASlotToAsManyStoresAsTheBufferHolds) {
    models::FlowFacts facts;
    facts.memory.push_back(
        {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    const auto lost = [&](models::Interval entries) {
        const auto context = in_time_slots("ST [R2], R3; EXIT;", 1024, facts);
        for (auto& value : context->architecture.write_buffer.values)
            if (value.name == "entries") value.interval = entries;
        for (const BoundTerm& term : envelope(*context).upper.terms)
            if (term.text.find("write buffer is full") != std::string::npos) return term.count;
        return std::int64_t{0};
    };
    // One slot each, two for the fast places' stores right before it: 4 times eight, not 5.
    EXPECT_EQ(lost({8, 8, 8}), 4);
    // Counted in cycles, where the places are left out: (32 x 59 + 8 x 32 x 8) / (8 x 60).
    EXPECT_EQ(lost({8, 8, 9}), 8);
}

// Two places of a scheduler, a slot of two cycles each. Started in the last cycle of a slot, its
// owner issues at 0, and the other one's slots are 1 .. 2 and 5 .. 6.
TEST(TimeDivision, ReallyLoseASlotToAPortThatIsHeldLongerThanASlot) {
    const auto worst = [](std::int64_t cycles) {
        const auto context = in_time_slots("MOV R1, R2; EXIT;", 128);
        set_moves(*context, "initiation", {cycles, cycles, cycles});
        return envelope(*context).upper;
    };
    EXPECT_EQ(worst(2).proved.count(), 2 + 18);
    EXPECT_EQ(worst(3).proved.count(), 5 + 18);
    EXPECT_EQ(worst(3).proof, Proof::ScheduleExploration);
    // Held for five cycles, the port is also taken when the owner issues at the first of 0 .. 1:
    // the other one's slots are 2 .. 3 and 6 .. 7.
    EXPECT_EQ(worst(5).proved.count(), 6 + 18);
}

TEST(TimeDivision, AreDecidedWhereAnOpenLatencyMovesNoIssue) {
    const auto upper = [](models::Interval latency) {
        const auto context = in_time_slots("MOV R1, R2; MOV R3, R1; EXIT;", 256);
        set_moves(*context, "latency", latency);
        return envelope(*context).upper;
    };
    const auto exact = upper({18, 18, 18});
    EXPECT_EQ(exact.proof, Proof::ScheduleExploration);
    const auto open = upper({18, 18, 19});
    EXPECT_EQ(open.proof, Proof::ScheduleExploration);
    EXPECT_EQ(open.proved, exact.proved + models::Cycles{1}); // the last result
    // The fast warp is in time for the second cycle of its slot, or for the first.
    EXPECT_EQ(upper({18, 18, 20}).proof, Proof::ResponseTime);
}

TEST(TimeDivision, AreDecidedOnlyOnOnePathWhereNothingIsOpen) {
    const auto proof = [](const std::string& body, std::int64_t turns_at_least = 4) {
        models::FlowFacts facts;
        facts.memory.push_back(
            {8, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
        if (body.find("BRA") != std::string::npos)
            facts.loops.push_back({0, turns_at_least, 4, {}});
        return envelope(*in_time_slots(body, 128, facts)).upper.proof;
    };
    EXPECT_EQ(proof("L: MOV R1, R2; NOP; @P0 BRA L; EXIT;"), Proof::ScheduleExploration);
    EXPECT_EQ(proof("L: MOV R1, R2; NOP; @P0 BRA L; EXIT;", 3), Proof::ResponseTime);
    EXPECT_EQ(proof("L: MOV R1, R2; NOP; @P0 BRA L; @P1 EXIT; NOP; EXIT;"), Proof::ResponseTime);
    EXPECT_EQ(proof("MOV R1, R2; ST [R2], R3; EXIT;"), Proof::ResponseTime); // drains are
    EXPECT_EQ(proof("MOV R1, R2; MUFU.COS R1, R2; EXIT;"), Proof::ScheduleExploration);
}

// Eight warps, four places on each scheduler: slots 4 or 12 cycles apart.
TEST(TimeDivision, WaitForASlotBehindABarrier) {
    const auto terms = [](const std::string& body, std::int64_t blocks, std::int64_t threads) {
        const auto context = in_time_slots(body, threads);
        context->request.launch = {blocks, threads};
        return envelope(*context).upper.terms;
    };
    const auto behind = [](const std::vector<BoundTerm>& all) {
        for (const BoundTerm& term : all)
            if (term.text == "wait for a slot after a barrier")
                return std::pair{term.count, term.cycles};
        return std::pair{std::int64_t{0}, std::int64_t{0}};
    };
    const std::string twice = "BAR.SYNC 0x0; NOP; BAR.SYNC 0x0; EXIT;";
    EXPECT_EQ(behind(terms(twice, 1, 256)), std::pair(std::int64_t{2}, std::int64_t{11}));
    // A warp meets nobody but itself.
    EXPECT_EQ(behind(terms(twice, 8, 32)).first, 0);
}

// A wait may be that of any of the block's warps, whichever slots it has: 17 cycles are 20 in slots
// 4 cycles apart and 24 in slots 12 apart, 13 are 16 and 24, 25 are 28 and 36.
TEST(TimeDivision, TakeEachWaitInTheSlowestSlotsWhereTheChainChangesItsPlace) {
    for (const auto& [latency, waited] :
         {std::pair{17, 24}, std::pair{13, 24}, std::pair{25, 36}}) {
        const auto context = in_time_slots("BAR.SYNC 0x0; MOV R1, R2; MOV R3, R1; EXIT;", 256);
        set_moves(*context, "latency", {latency, latency, latency});
        const auto with = envelope(*context).upper.terms.front().cycles;
        set_moves(*context, "latency", {1, 1, 1});
        const auto gap = envelope(*context).upper.terms.front().cycles;
        // Two moves one behind the other, or 12 cycles between (6 in slots 12 cycles apart); an
        // exit ends one cycle behind itself, a result so many behind the move.
        EXPECT_EQ(with - gap, waited + latency - 12 - (12 + 1)) << latency;
    }
}

// Of sixteen warps' moves only the fast place's covers the next slot: one slot, 28 cycles from the
// next, of each place in which the chain may be between two barriers. All could be met in some
// place. Warps of the block move in the part in which the chain is, those of another at any time;
// and a port that is held for longer than the barrier takes reaches into the next part.
TEST(TimeDivision, LoseSlotsInOnePlaceFromBarrierToBarrier) {
    const auto lost = [](const std::string& body, models::Launch launch, std::int64_t barrier) {
        const auto context = in_time_slots(body, launch.threads);
        context->request.launch = launch;
        set_moves(*context, "initiation", {3, 3, 3});
        for (auto& value :
             context->architecture.classes.at(assembly::OpcodeClass::Barrier).values.values)
            if (value.name == "latency")
                value.interval = models::Interval{barrier, barrier, barrier};
        std::int64_t cycles = 0;
        for (const BoundTerm& term : envelope(*context).upper.terms)
            if (term.text.find("occupies a port") != std::string::npos)
                cycles += term.count * term.cycles;
        return cycles;
    };
    const std::string behind = "BAR.SYNC 0x0; MOV R1, R2; EXIT;";
    const std::string around = "MOV R3, R4; BAR.SYNC 0x0; MOV R1, R2; EXIT;";
    EXPECT_EQ(lost(behind, {1, 512}, 3), 28);
    EXPECT_EQ(lost(around, {1, 512}, 3), 2 * 28);
    EXPECT_EQ(lost(around, {1, 512}, 2), 4 * 28);
    EXPECT_EQ(lost(behind, {2, 256}, 3), 28);
    EXPECT_EQ(lost(around, {2, 256}, 3), 4 * 28);
}

TEST(TimeDivision, RefuseWarpsThatEndBeforeABarrier) {
    const auto refusal = [](const Analyzed& context) {
        const auto analysis = context.run();
        return analysis ? "accepted" : to_string(analysis.error());
    };
    const std::string maybe = "@P0 BRA E; BAR.SYNC 0x0; E: EXIT;";
    EXPECT_THAT(refusal(*in_time_slots(maybe, 128)), HasSubstr("may end before a barrier"));
    EXPECT_THAT(refusal(*in_time_slots("BAR.SYNC 0x0; EXIT;", 128)), HasSubstr("accepted"));
    EXPECT_THAT(refusal(*in_time_slots(maybe, 32)), HasSubstr("accepted"));
}

} // namespace
} // namespace warpbound::analyzer

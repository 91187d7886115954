#include "analyzer/evidence/path_certificates.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

/// Fermi: two schedulers, an issue slot of 2 cycles, 6 cycles between issues of a warp, results of
/// moves 18 cycles after their issue.
std::unique_ptr<Analyzed> in_turn(const std::string& body, models::Launch launch,
                                  models::FlowFacts facts = {}) {
    auto context = analyzed(body, std::move(facts));
    context->request.launch = launch;
    context->request.policy = models::read_policy("srr").value();
    return context;
}

std::string round_robin_refusal(const Analyzed& context) {
    const auto analysis = context.run();
    return analysis ? "bounded" : to_string(analysis.error());
}

TEST(StrictRoundRobin, KeepOthersWaitingForWhoMayNotIssueYet) {
    // Two warps of a scheduler: moves at 0 and 2, the dependent ones at 18 and 20, EXITs at 24 and
    // 26; results at 20 + 18.
    const Envelope two = envelope(*in_turn("MOV R1, R2; MOV R3, R1; EXIT;", {1, 128}));
    EXPECT_EQ(two.upper.proved.count(), 20 + 18);
    EXPECT_EQ(two.lower.proved.count(), 20 + 18);
    EXPECT_EQ(two.upper.proof, Proof::ScheduleExploration);
    // 24 warps take 48 cycles for a round, which hides all else; the last EXIT is at 2 x 48 + 46.
    const Envelope many = envelope(*in_turn("MOV R1, R2; MOV R3, R1; EXIT;", {1, 1536}));
    EXPECT_EQ(many.upper.proved.count(), 2 * 48 + 46 + 1);
    EXPECT_EQ(many.lower.proved.count(), many.upper.proved.count());
}

TEST(StrictRoundRobin, OfWarpsWithSeveralPathsWaitForEachOfThem) {
    auto context = in_turn("@P0 BRA L; MOV R1, R2; L: MOV R3, R1; EXIT;", {1, 128});
    for (auto& value : context->architecture.control_flow.values)
        value.interval = models::Interval{6, 6, 6};
    const Envelope two = envelope(*context);
    EXPECT_EQ(two.upper.proof, Proof::ResponseTime);
    // Four choices of two warps. A round takes 4 cycles; a warp is not ready 6 cycles behind an
    // issue, and 18 behind the first move. 12 cycles of the second one's result are left at the
    // end.
    // So each of three rounds is 2 cycles longer, and for each warp one of them another 12.
    constexpr std::int64_t rounds = 3 * (6 - 4) + 2 * (18 - 6);
    EXPECT_EQ(two.upper.proved.count(), (4 * 2 - 1) * 2 + rounds + 12);
    EXPECT_LT(two.lower.proved.count(), two.upper.proved.count());
}

// Behind the first call the sum waits for the load, behind the second one for nothing.
TEST(StrictRoundRobin, WaitAsLongAsAnyCallOfCodeThatIsCalledTwice) {
    const std::string moves = "MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; ";
    auto context = in_turn("LDS R7, [R14]; CAL F; MOV R1, R2; " + moves +
                               "CAL F; EXIT; F: FADD R8, R7, R7; @P0 BRA X; MOV R1, R2; X: RET;",
                           {1, 128});
    constexpr std::int64_t longest_run = 1127;
    EXPECT_GE(envelope(*context).upper.proved.count(), longest_run);
}

TEST(StrictRoundRobin, ThatEndSoonerLeaveTurnsOut) {
    const Envelope two = envelope(*in_turn("MOV R1, R2; @P0 EXIT; MOV R3, R1; EXIT;", {1, 128}));
    // Nobody ends sooner: moves at 0 and 2, EXITs at 6 and 8, moves at 18 and 20.
    EXPECT_EQ(two.upper.proved.count(), 20 + 18);
    EXPECT_EQ(two.upper.proof, Proof::ScheduleExploration);
    EXPECT_LT(two.lower.proved.count(), 20 + 18); // All end sooner.
}

// Three warps, one of them alone on its scheduler: it waits for the ports of two others.
TEST(StrictRoundRobin, CoverTheSchedulerWithOneWarpLess) {
    auto three = in_turn("MUFU.COS R1, R2; EXIT;", {1, 96});
    auto& sfu = three->architecture.classes.at(assembly::OpcodeClass::SpecialFunction);
    for (auto& value : sfu.values.values)
        if (value.name == "initiation") value.interval = models::Interval{100, 100, 100};
    const Envelope bounds = envelope(*three);
    EXPECT_EQ(bounds.upper.terms.back().count, 2);
    EXPECT_GE(bounds.upper.proved.count(), 200);
}

TEST(StrictRoundRobin, AddWhatOtherSchedulersTakeOfPorts) {
    const std::string body = "MUFU.COS R1, R2; EXIT;"; // One port for the multiprocessor.
    const Envelope both = envelope(*in_turn(body, {1, 128}));
    EXPECT_EQ(both.upper.proof, Proof::ResponseTime);
    EXPECT_THAT(both.upper.terms.back().text, HasSubstr("on other schedulers"));
    EXPECT_EQ(both.upper.terms.back().count, 2);
}

TEST(StrictRoundRobin, OfOneWarpPerSchedulerAreNoTurns) {
    const std::string body = "MOV R1, R2; BAR.SYNC 0x0; MOV R3, R1; EXIT;";
    auto two = in_turn(body, {1, 64});
    const Envelope strict = envelope(*two);
    two->request.policy = models::read_policy("gto").value();
    const Envelope greedy = envelope(*two);
    EXPECT_EQ(strict.upper.proved, greedy.upper.proved);
    EXPECT_EQ(strict.lower.proved, greedy.lower.proved);
}

/// A block starts 6 cycles after the EXIT that made room for it.
std::unique_ptr<Analyzed> with_places(std::int64_t places, const std::string& body,
                                      models::Launch launch) {
    auto context = in_turn(body, launch);
    for (auto& value : context->architecture.blocks.values)
        value.interval = models::Interval{3, 3, 3};
    for (auto& value : context->architecture.limits.values)
        if (value.name == "max-blocks") value.interval = models::Interval{places, places, places};
    return context;
}

TEST(StrictRoundRobin, OfBlocksThatFollowEachOther) {
    // EXITs of the two warps of a scheduler at 0, 2, 6 and 8. The bound: a round of 4 cycles behind
    // turns at 0 and 2; each round waits for a start, 6 - 4 cycles; completion; one cycle of a
    // port that was left.
    const Envelope waves = envelope(*with_places(4, "EXIT;", {8, 32}));
    EXPECT_EQ(waves.upper.proved.count(), 2 + 4 + 2 + 1 + 1);
    EXPECT_EQ(waves.lower.proved.count(), 6 + 1); // Two blocks of one place.
}

TEST(StrictRoundRobin, OfBlocksWithSeveralWarpsWaitForStarts) {
    // Three blocks in two places; a scheduler has a warp of each. The last turn of the first two
    // blocks at 2; two times a start is waited for, with the turn of the other warp and one more.
    const Envelope waves = envelope(*with_places(2, "EXIT;", {3, 64}));
    EXPECT_EQ(waves.upper.proved.count(), 2 + 1 + 2 * (6 + 2 + 2));
}

TEST(StrictRoundRobin, PassWhoWaitsAtABarrier) {
    // Four warps on two schedulers. Barriers at 0 and 2, EXITs 60 cycles behind the last one. The
    // bound adds the turns of the other warp and of those that come back, and counts the barrier's
    // latency less its least value, 18, as left at the end.
    const Envelope one = envelope(*in_turn("BAR.SYNC 0x0; EXIT;", {1, 128}));
    EXPECT_EQ(one.upper.proved.count(), 2 + (60 + 2 + 4) + (60 - 18));
    // Of a second block the warps may come back before the turn behind the barrier.
    const Envelope two = envelope(*in_turn("BAR.SYNC 0x0; EXIT;", {2, 128}));
    EXPECT_EQ(two.upper.proved.count(), 6 + 2 * (60 + 6 + 4) + (60 - 18));
}

// Each result may be waited for in full, but not all of them: others are under way meanwhile.
TEST(StrictRoundRobin, OfWarpsThatWaitForManyThingsAtOnceTakeTheTimeOfEachAlone) {
    const std::string body =
        "@P0 BRA L; MOV R10, R0; L: FADD R1, R0, R0; FADD R2, R0, R0; FADD R3, R0, R0; "
        "FADD R4, R1, R1; FADD R5, R2, R2; FADD R6, R3, R3; EXIT;";
    const auto upper = [&](std::int64_t threads) {
        auto context = in_turn(body, {1, threads});
        for (auto& value : context->architecture.control_flow.values)
            value.interval = models::Interval{6, 6, 6};
        for (auto& value :
             context->architecture.classes.at(assembly::OpcodeClass::FloatAdd).values.values)
            if (value.name == "latency") value.interval = models::Interval{1, 20, 500};
        return envelope(*context).upper;
    };
    const SideResult two = upper(128);
    EXPECT_THAT(two.terms.front().text, HasSubstr("one warp in isolation"));
    EXPECT_EQ(two.proved.count(), 2 * upper(32).proved.count() + 9 * 2); // 9 turns of the other.
}

TEST(StrictRoundRobin, NameWhatIsNotBounded) {
    EXPECT_THAT(round_robin_refusal(*in_turn("@P0 BAR.SYNC 0x0; EXIT;", {1, 128})),
                HasSubstr("a guarded barrier is not bounded"));
}

/// Bounds as sums of certificates. Fails the test where terms are not what they are said to be.
struct Proved {
    explicit Proved(Analyzed& context) {
        context.request.certificates = &certificates;
        bounds = envelope(context);
        context.request.certificates = nullptr;
        if (context.request.launch.blocks * context.request.launch.threads == 32) return;
        EXPECT_EQ(bounds.upper.proved.count(), sum_of(bounds.upper.terms).count());
        for (const BoundTerm& term : bounds.upper.terms)
            if (!term.certificate.empty()) {
                EXPECT_TRUE(std::any_of(certificates.certificates.begin(),
                                        certificates.certificates.end(),
                                        [&](const PathCertificate& certificate) {
                                            return certificate.id == term.certificate &&
                                                   certificate.bound == term.cycles;
                                        }))
                    << term.certificate;
            }
    }

    /// Certificates of the terms of the upper bound.
    [[nodiscard]] std::vector<std::string> summed() const {
        std::vector<std::string> ids;
        for (const BoundTerm& term : bounds.upper.terms)
            if (!term.certificate.empty())
                ids.push_back(term.certificate.substr(std::string{"execution-time-upper-"}.size()));
        return ids;
    }

    CertificateStore certificates;
    Envelope bounds;
};

/// A branch that takes no time of its own leaves two paths.
std::unique_ptr<Analyzed> behind_a_branch(const std::string& body, models::Launch launch) {
    auto context = in_turn("@P0 BRA L; MOV R20, R21; L: " + body, launch);
    for (auto& value : context->architecture.control_flow.values)
        value.interval = models::Interval{6, 6, 6};
    return context;
}

TEST(StrictRoundRobin, InEvidenceTakeTheTimeOfTheOnlySchedule) {
    auto two = in_turn("MOV R1, R2; MOV R3, R1; EXIT;", {1, 128});
    const Proved proved{*two};
    EXPECT_EQ(proved.bounds.upper.proved.count(), 20 + 18);
    EXPECT_EQ(proved.bounds.lower.proved.count(), 20 + 18);
    EXPECT_EQ(proved.bounds.upper.proof, Proof::ScheduleExploration);
    EXPECT_THAT(proved.summed(), testing::IsEmpty());
}

// Whoever checks it knows what is outstanding: only the move behind the first one waits 18 cycles.
TEST(StrictRoundRobin, InEvidenceSumRoundsByWhatIsOutstanding) {
    auto two = behind_a_branch("MOV R1, R2; MOV R3, R1; EXIT;", {1, 128});
    const Proved proved{*two};
    // Five turns of two warps; a round takes the 6 cycles between two issues of a warp, and for
    // each warp one takes 18. 12 cycles of the last result are left at the EXIT.
    EXPECT_EQ(proved.bounds.upper.proved.count(), 2 + 4 * 6 + 2 * (18 - 6) + 12);
    EXPECT_THAT(proved.summed(), testing::ElementsAre("rotations-of-6", "stalls-beyond-6"));
}

TEST(StrictRoundRobin, InEvidenceCountLongWaitsForEachWarp) {
    std::string body = "FADD R1, R2, R2;";
    for (int i = 1; i <= 13; ++i)
        body += " MOV R" + std::to_string(i + 1) + ", R" + std::to_string(i) + ";";
    auto many = behind_a_branch(body + " EXIT;", {1, 256});
    for (auto& value : many->architecture.classes.at(assembly::OpcodeClass::FloatAdd).values.values)
        if (value.name == "latency") value.interval = models::Interval{100, 100, 100};
    const Proved proved{*many};
    // Four warps of a scheduler, 17 turns: each round takes as long as a move's result, and for
    // each warp the first move waits for 100. 12 cycles of the last result are left at the EXIT.
    EXPECT_EQ(proved.bounds.upper.proved.count(), 3 * 2 + 16 * 18 + 4 * (100 - 18) + 12);
    EXPECT_THAT(proved.summed(), testing::ElementsAre("rotations-of-18", "stalls-beyond-18"));
}

TEST(StrictRoundRobin, InEvidenceTakeTheTimeOfEachWarpAloneWhereThatIsLess) {
    auto two = behind_a_branch("FADD R1, R0, R0; FADD R2, R0, R0; FADD R3, R0, R0; "
                               "FADD R4, R1, R1; FADD R5, R2, R2; FADD R6, R3, R3; EXIT;",
                               {1, 128});
    for (auto& value : two->architecture.classes.at(assembly::OpcodeClass::FloatAdd).values.values)
        if (value.name == "latency") value.interval = models::Interval{1, 20, 500};
    const Proved proved{*two};
    EXPECT_EQ(proved.bounds.upper.proved, envelope(*two).upper.proved);
    EXPECT_THAT(proved.summed(),
                testing::ElementsAre("in-isolation", "issue-slots", "in-isolation"));
}

TEST(StrictRoundRobin, InEvidenceAreThoseWithout) {
    models::FlowFacts facts;
    facts.memory.push_back(
        {0, models::CountRange{1, 4}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    for (const char* body : {"ST [R2], R3; MUFU.COS R1, R2; EXIT;",
                             "LD R1, [R2]; @P0 BRA L; MOV R3, R1; L: FFMA R8, R8, R3, R3; EXIT;",
                             "LD R1, [R2]; BAR.SYNC 0x0; MOV R3, R1; BAR.SYNC 0x0; EXIT;"})
        for (const std::int64_t places : {1, 2, 5})
            for (const models::Launch& launch :
                 {models::Launch{1, 32}, models::Launch{5, 32}, models::Launch{1, 160},
                  models::Launch{7, 96}, models::Launch{3, 256}})
                for (const std::int64_t multiprocessors : {1, 2}) {
                    auto context = with_places(places, body, launch);
                    context->facts = facts;
                    context->request.multiprocessors = multiprocessors;
                    const auto plain = envelope(*context).bounds();
                    const auto proved = Proved{*context}.bounds.bounds();
                    EXPECT_TRUE(plain == proved) << body << models::to_string(launch);
                }
}

} // namespace
} // namespace warpbound::analyzer

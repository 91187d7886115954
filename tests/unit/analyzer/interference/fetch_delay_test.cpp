// What misses of the instruction caches add to an upper bound (docs/theory, S35 and S36).

#include "models/architecture/value_path.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

/// Ten instructions of 8 bytes: three lines of 32 bytes.
const std::string ten = "MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; "
                        "MOV R1, R2; MOV R1, R2; MOV R1, R2; EXIT;";

struct Caches {
    std::int64_t l0_lines = 8;
    std::int64_t l1_lines = 8;
    std::int64_t stream = 2;
    std::int64_t more_lines = 0;     ///< That each cache may have.
    std::int64_t fewer_streamed = 0; ///< That a miss may stream.
    bool are_warm = false;
};

std::unique_ptr<Analyzed> with_caches(const std::string& body, const Caches& caches,
                                      models::Launch launch = {1, 32},
                                      const std::string& machine = "fermi-gtx470", int sm = 20) {
    auto all = analyzed(body, {}, machine, sm);
    const auto give = [&](const char* name, std::int64_t lo, std::int64_t hi) {
        models::SourcedValue value;
        value.name = name;
        value.interval = models::Interval{lo, std::nullopt, hi};
        all->architecture.fetch.values.push_back(value);
    };
    give("line", 32, 32);
    give("stream", caches.stream - caches.fewer_streamed, caches.stream);
    give("l0-sets", 1, 1);
    give("l0-ways", caches.l0_lines, caches.l0_lines + caches.more_lines);
    give("l0-miss", 20, 30);
    give("l1-sets", 1, 1);
    give("l1-ways", caches.l1_lines, caches.l1_lines + caches.more_lines);
    give("l1-miss", 40, 200);
    give("l1-service", 1, 2);
    if (caches.are_warm) give("warm", 1, 1);
    all->request.launch = launch;
    return all;
}

/// The upper bound beyond that of the same launch without instruction caches.
std::int64_t delay(const std::string& body, const Caches& caches, models::Launch launch = {1, 32}) {
    const auto fetching = with_caches(body, caches, launch);
    auto perfect = analyzed(body);
    perfect->request.launch = launch;
    return (envelope(*fetching).upper.proved - envelope(*perfect).upper.proved).count();
}

// Three lines that the first one's miss requests, of 30 and 200 cycles, and its 3 requests of 2.
TEST(FetchDelay, CountsLinesThatComeTogetherOnceWhereAllArePersistent) {
    EXPECT_EQ(delay(ten, {}), 30 + 200 + 3 * 2);
    EXPECT_EQ(delay(ten, {.l0_lines = 3, .l1_lines = 5}), 236);
    EXPECT_EQ(delay(ten, {.stream = 1}), 2 * (30 + 200) + 4 * 2);
    EXPECT_EQ(delay(ten, {.stream = 0}), 3 * (30 + 200) + 3 * 2);
}

// How many lines are streamed is not known: the fewest bring each line alone, the most make more
// requests.
TEST(FetchDelay, CountsOnTheFewestStreamedLines) {
    EXPECT_EQ(delay(ten, {.fewer_streamed = 2}), 3 * (30 + 200) + 5 * 2);
}

// Persistent are the lines that the smallest cache holds.
TEST(FetchDelay, CountsOnTheFewestWays) {
    for (const Caches& caches : {Caches{}, Caches{.l0_lines = 2}, Caches{.l1_lines = 4}}) {
        Caches varying = caches;
        varying.more_lines = 10;
        EXPECT_EQ(delay(ten, varying), delay(ten, caches));
    }
}

TEST(FetchDelay, CountsNoMissOfAPersistentLineInCachesThatAreWarm) {
    EXPECT_EQ(delay(ten, {.are_warm = true}), 0);
    // Persistent in the L1 alone: waits for the L0 are left.
    EXPECT_EQ(delay(ten, {.l0_lines = 2, .are_warm = true}), delay(ten, {.l0_lines = 2}) - 3 * 200);
    // Persistent in neither.
    EXPECT_EQ(delay(ten, {.l0_lines = 2, .l1_lines = 4, .are_warm = true}),
              delay(ten, {.l0_lines = 2, .l1_lines = 4}));
    const auto all = with_caches(ten, {.are_warm = true});
    const auto assumptions = all->run().value().assumptions;
    EXPECT_TRUE(std::any_of(assumptions.begin(), assumptions.end(), [](const Assumption& one) {
        return one.text.find("as stated (fetch/warm)") != std::string::npos;
    }));
}

TEST(FetchDelay, IsNoneWhereItIsStatedToCostNothing) {
    auto all = with_caches(ten, {});
    ASSERT_TRUE(models::assume_value(all->architecture, "fetch=none"));
    EXPECT_EQ(envelope(*all).upper.proved, envelope(*analyzed(ten)).upper.proved);
    const auto assumptions = all->run().value().assumptions;
    const auto stated =
        std::find_if(assumptions.begin(), assumptions.end(), [](const Assumption& one) {
            return one.text.find("(fetch=none)") != std::string::npos;
        });
    ASSERT_NE(stated, assumptions.end());
    EXPECT_EQ(stated->status, AssumptionStatus::Unchecked);
    EXPECT_EQ(stated->subject, AssumptionSubject::User);
    EXPECT_TRUE(std::any_of(assumptions.begin(), assumptions.end(), [](const Assumption& one) {
        return one.text == "Constant operands always hit their cache.";
    }));
}

// The L1 holds the streamed lines as well: with four ways some line may miss again.
TEST(FetchDelay, CountsTheMissOfEachUseWhereLinesAreNotPersistentInTheL1) {
    EXPECT_EQ(delay(ten, {.l1_lines = 4}), 30 + 200 + 3 * 2);
    EXPECT_EQ(delay(ten, {.l1_lines = 2, .stream = 0}), 3 * (30 + 200) + 3 * 2);
}

// Two gaps of 18 cycles and the start last 30 cycles; the L1 misses three lines once.
TEST(FetchDelay, LengthensGapsWhereLinesAreNotPersistentInTheL0) {
    const auto all = with_caches(ten, {.l0_lines = 2});
    const auto bound = envelope(*all).upper;
    ASSERT_EQ(bound.terms.size(), 3U);
    EXPECT_EQ(bound.terms[1].count * bound.terms[1].cycles, 30);
    EXPECT_EQ(bound.terms[2].count * bound.terms[2].cycles, 3 * 200);
    const auto perfect = envelope(*analyzed(ten)).upper.proved.count();
    EXPECT_EQ(bound.terms[0].cycles, perfect + 2 * (30 - 18));
}

// In a loop of lines that are not persistent each iteration waits anew.
TEST(FetchDelay, CountsEachIterationOfALoopThatIsNotPersistent) {
    const std::string loop = "L: MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; "
                             "MOV R1, R2; MOV R1, R2; @P0 BRA L; EXIT;";
    const auto upper_of = [&](std::int64_t iterations) {
        auto all = with_caches(loop, {.l0_lines = 1, .l1_lines = 1, .stream = 0});
        models::LoopFact fact;
        fact.header = 0;
        fact.min = fact.max = iterations;
        all->facts.loops.push_back(fact);
        return envelope(*all).upper.proved.count();
    };
    EXPECT_EQ(upper_of(9) - upper_of(8), upper_of(3) - upper_of(2));
    EXPECT_GE(upper_of(9) - upper_of(8), 2 * 230);
}

// Each traversal of a persistent loop waits for its three lines, each iteration for none.
TEST(FetchDelay, CountsTheLinesOfAPersistentLoopOncePerTraversal) {
    const std::string loop = "MOV R1, R2; L: MOV R1, R2; MOV R1, R2; MOV R1, R2; MOV R1, R2; "
                             "MOV R1, R2; MOV R1, R2; MOV R1, R2; @P0 BRA L; " +
                             ten;
    const auto upper_of = [&](std::int64_t iterations, bool has_caches, std::int64_t l0_lines) {
        auto all = has_caches ? with_caches(loop, {.l0_lines = l0_lines}) : analyzed(loop);
        models::LoopFact fact;
        fact.header = 8;
        fact.min = fact.max = iterations;
        all->facts.loops.push_back(fact);
        return envelope(*all).upper.proved.count();
    };
    const std::int64_t iteration = upper_of(9, false, 0) - upper_of(8, false, 0);
    EXPECT_EQ(upper_of(9, true, 3) - upper_of(8, true, 3), iteration);
    EXPECT_GT(upper_of(9, true, 2) - upper_of(8, true, 2), iteration + 20);
    EXPECT_LT(upper_of(9, true, 3), upper_of(9, true, 2));
}

// One wave without barriers stays on one scheduler; the path changes the warp with the block and at
// barriers. Of more blocks or intervals than schedulers the latter count.
TEST(FetchDelay, CountsEverySchedulerThatTheCriticalPathMayVisit) {
    const auto scheduler_term = [](const std::string& body, models::Launch launch,
                                   std::int64_t multiprocessors = 1) {
        const auto all = with_caches(body, {.stream = 0}, launch);
        all->request.multiprocessors = multiprocessors;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text.find("a scheduler's L0") != std::string::npos) return term.count;
        return std::int64_t{0};
    };
    EXPECT_EQ(scheduler_term(ten, {1, 128}), 3);
    EXPECT_EQ(scheduler_term(ten, {64, 128}), 3); // Until a block has ended (S96).
    EXPECT_EQ(scheduler_term("BAR.SYNC 0; " + ten, {1, 128}), 2 * 3);
    EXPECT_EQ(scheduler_term(ten, {9, 128}, 2), 3); // Up to 8 blocks on each SM.
    // Two waves: one block up to the start of the last one. Then all lines are there (S84).
    EXPECT_EQ(scheduler_term(ten, {24, 128}, 2), 3);
    EXPECT_EQ(scheduler_term(ten, {99, 128}, 2), 3);
    // A block of one warp leaves lines on one scheduler only.
    EXPECT_EQ(scheduler_term(ten, {24, 32}, 2), 2 * 3);
    EXPECT_EQ(scheduler_term(ten, {99, 32}, 2), 4 * 3);
}

// S96: up to the end of the first block the path is in one warp, or with a barrier in two. Later
// ones wait for the line that warps leave out.
TEST(FetchDelay, CountsLinesUntilTheFirstBlockEnds) {
    const std::string early = moves(4) + "@P0 EXIT; " + moves(5) + "EXIT;";
    const auto misses_of = [](const std::string& body, std::int64_t multiprocessors) {
        const auto all = with_caches(body, {.stream = 0}, {99, 128});
        all->request.multiprocessors = multiprocessors;
        std::vector<std::int64_t> counts;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text.starts_with("instruction fetch: misses of")) counts.push_back(term.count);
        return counts;
    };
    using testing::ElementsAre;
    EXPECT_THAT(misses_of(ten, 1), ElementsAre(3, 3));
    EXPECT_THAT(misses_of("BAR.SYNC 0; " + ten, 1), ElementsAre(2 * 3, 3));
    EXPECT_THAT(misses_of(early, 1), ElementsAre(3 + 1, 3));
    EXPECT_THAT(misses_of(early, 2), ElementsAre(3 + 1 + 1, 3 + 1));
}

// S74 with S96: a chain of 15 blocks may be on four schedulers, and two waves of blocks up to the
// last one on three. On the fourth it waits for the lines that warps leave out.
TEST(FetchDelay, CountsWhatOnlyAChainVisits) {
    std::string body = "MUFU.RCP R1, R2 ?trans1; @P0 EXIT ?trans6; ";
    for (int i = 0; i < 29; ++i)
        body += "MUFU.RCP R1, R2 ?trans1; ";
    const auto further = [&](models::Launch launch) {
        const auto all =
            with_caches(body + "EXIT ?trans6;", {.l0_lines = 16, .l1_lines = 18, .stream = 2},
                        launch, "turing-t4", 75);
        all->request.multiprocessors = 2;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text == "instruction fetch: misses at schedulers that only the chain visits")
                return term.count * term.cycles;
        return std::int64_t{0};
    };
    EXPECT_EQ(further({31, 256}), 6 * 30);
    EXPECT_EQ(further({80, 256}), 0); // Of more waves each visits all four.
}

// S84: of three lines the last is left out by warps that end early; on the second multiprocessor
// it is missed once by each scheduler, and once by the L1.
TEST(FetchDelay, CountsLinesThatWarpsLeaveOutOnBothMultiprocessors) {
    const std::string early = moves(4) + "@P0 EXIT; " + moves(5) + "EXIT;";
    const auto terms_of = [&](const std::string& body, const char* policy) {
        const auto all = with_caches(body, {.stream = 0}, {99, 128});
        all->request.multiprocessors = 2;
        all->request.policy = models::read_policy(policy).value();
        std::vector<std::int64_t> counts;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text.starts_with("instruction fetch: misses of the L1") ||
                term.text.starts_with("instruction fetch: requests"))
                counts.push_back(term.count);
        return counts;
    };
    using testing::ElementsAre;
    EXPECT_THAT(terms_of(ten, "unknown"), ElementsAre(3, 2 * 3));
    EXPECT_THAT(terms_of(early, "unknown"), ElementsAre(3 + 1, 2 * 2 * 3));
    // Policies that do not conserve work count both multiprocessors with all lines.
    EXPECT_THAT(terms_of(ten, "srr"), ElementsAre(2 * 3, 2 * 2 * 3));
}

// S97: the last of three lines is that of thread 0 alone, hence of warp 0 of each block. Where
// guards hold by the code, each block leaves it in the only L0 that is asked for it.
TEST(FetchDelay, CountsNoLineThatAWarpOfEachBlockExecutes) {
    const auto misses_of = [](std::int64_t threads, const char* thread, bool by_code) {
        const std::string body = "S2R R3, SR_TID.X ?trans6; ISETP.NE.AND P0, PT, R3, " +
                                 std::string{thread} +
                                 ", PT ?trans6; MOV R1, R2 ?trans6; @P0 EXIT ?trans6; "
                                 "MOV R1, R2 ?trans6; EXIT ?trans6;";
        const auto all = with_caches(body, {.stream = 0}, {99, threads}, "turing-t4", 75);
        all->request.multiprocessors = 2;
        all->request.follow_guards = by_code;
        std::vector<std::int64_t> counts;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text.starts_with("instruction fetch: misses of")) counts.push_back(term.count);
        return counts;
    };
    using testing::ElementsAre;
    EXPECT_THAT(misses_of(128, "0x0", false), ElementsAre(3 + 3 + 1, 3 + 1));
    EXPECT_THAT(misses_of(128, "0x0", true), ElementsAre(3, 3));
    // The first thread of no warp executes it.
    EXPECT_THAT(misses_of(128, "0x1", true), ElementsAre(3 + 3 + 1, 3 + 1));
    // Five warps: warp 0 is on another scheduler in the next block slot.
    EXPECT_THAT(misses_of(160, "0x0", true), ElementsAre(3 + 3 + 1, 3 + 1));
}

// Lemma 6 of S36: ten lines of one chain, with a barrier, so that the path is on both schedulers.
// Each waits for five misses of two lines. The L1 misses two lines together, then perhaps each one
// alone.
TEST(FetchDelay, CountsTransfersToTheL1OnceForAllSchedulers) {
    const auto all = with_caches("BAR.SYNC 0; " + moves(38) + "EXIT;",
                                 {.l0_lines = 10, .l1_lines = 11, .stream = 1}, {1, 128});
    std::vector<std::int64_t> counts;
    for (const BoundTerm& term : envelope(*all).upper.terms)
        if (term.text.starts_with("instruction fetch: misses")) counts.push_back(term.count);
    EXPECT_THAT(counts, testing::ElementsAre(2 * 5, 10 - 1));
}

// Line 3 may follow line 0 without lines 1 and 2, unless a fact excludes this way: then all four
// lines are one chain, of which two misses of three lines each bring all.
TEST(FetchDelay, JoinsLinesAcrossEdgesThatFactsExclude) {
    const std::string body = moves(3) + "@P0 BRA M; " + moves(8) + "M: " + moves(3) + "EXIT;";
    const auto misses_of_l0 = [&](bool excludes) {
        const auto all = with_caches(body, {}, {1, 128});
        models::LinearFact fact;
        fact.terms.push_back({1, 0, 12 * 8});
        if (excludes) all->facts.constraints.push_back(fact);
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text.starts_with("instruction fetch: misses of a scheduler's L0"))
                return term.count;
        return std::int64_t{0};
    };
    EXPECT_EQ(misses_of_l0(false), 4);
    EXPECT_EQ(misses_of_l0(true), 2);
}

/// What a launch of four warps, two on each scheduler, has beyond the same without caches.
std::int64_t delay_under(const char* policy, const Caches& caches,
                         models::Launch launch = {1, 128}) {
    const auto fetching = with_caches(ten, caches, launch);
    const auto perfect = analyzed(ten);
    perfect->request.launch = launch;
    fetching->request.policy = perfect->request.policy = models::read_policy(policy).value();
    return (envelope(*fetching).upper.proved - envelope(*perfect).upper.proved).count();
}

TEST(FetchDelay, CountsOnceForAllTurnsOfAScheduler) {
    // On one of two schedulers 3 lines that come together, of 30 and 200 cycles; 2 x 5 requests
    // of 2.
    EXPECT_EQ(delay_under("srr", {}), 30 + 200 + 2 * 5 * 2);
    EXPECT_EQ(delay_under("srr", {.are_warm = true}), 0);
}

// Not persistent: the wait of 3 x 3 x 2 + 30 + 200 is in the gaps before the second and the third
// line, and once before the first.
TEST(FetchDelay, CountsInEachTurnWhereLinesAreReplaced) {
    const std::int64_t wait = 3 * 3 * 2 + 30 + 200;
    const std::int64_t delay = delay_under("srr", {.l0_lines = 2, .l1_lines = 4});
    EXPECT_GT(delay, 2 * wait);
    EXPECT_LE(delay, 3 * wait);
}

// A block that is handed out has its first line as many cycles later.
TEST(FetchDelay, KeepsTurnsWaitingForBlocksThatStart) {
    const auto of_starts = [](const Caches& caches) {
        auto all = with_caches(ten, caches, {100, 128});
        all->request.policy = models::read_policy("srr").value();
        std::int64_t cycles = 0;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text == "stall by warps of another block that starts") cycles = term.cycles;
        return cycles;
    };
    const std::int64_t warps = 8 * 4;
    EXPECT_EQ(of_starts({.l0_lines = 2, .l1_lines = 4}) - of_starts({}),
              (warps - 1) * 3 * 2 + 30 + 200);
}

TEST(FetchDelay, CountsInTimeSlots) {
    const auto terms_of = [](const Caches& caches) {
        auto all = with_caches(ten, caches, {1, 128});
        all->request.policy = models::read_policy("variable-rate:fast=0,every=2").value();
        std::int64_t sum = 0;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text.starts_with("instruction fetch")) sum += term.count * term.cycles;
        return sum;
    };
    EXPECT_EQ(terms_of({}), 30 + 200 + 2 * 5 * 2);
    EXPECT_EQ(terms_of({.l0_lines = 2, .l1_lines = 4}), 3 * 3 * 2 + 30 + 200);
    EXPECT_EQ(terms_of({.are_warm = true}), 0);
}

// After a gap of 0 no distance of slots is in the path: the wait may end in another warp's slot.
TEST(FetchDelay, CountsTheNextSlotAfterAPairThatIssuesTogether) {
    const auto waits_for_slots = [](bool is_pair) {
        auto all = analyzed("MOV R1, R2 ?trans1; MOV R3, R4 ?trans1; EXIT ?trans1;", {},
                            "hopper-h200", 90);
        all->architecture.register_file = {};
        all->architecture.fetch = with_caches(ten, {})->architecture.fetch;
        assembly::Control& control = *all->program.functions.front().instructions[1].control;
        control.dual_issue = is_pair;
        control.stall = is_pair ? 0 : 1;
        all->request.launch = {1, 256};
        all->request.policy = models::read_policy("variable-rate:fast=0,every=2").value();
        std::int64_t cycles = 0;
        for (const BoundTerm& term : envelope(*all).upper.terms)
            if (term.text.find("wait for a slot after the first use") != std::string::npos)
                cycles += term.count * term.cycles;
        return cycles;
    };
    EXPECT_EQ(waits_for_slots(false), 0);
    EXPECT_EQ(waits_for_slots(true), 2 * 1); // Two lines, slots 2 cycles apart.
}

TEST(FetchDelay, CountsBesideActiveSetsWhereTheTextFits) {
    const auto of_small_set = [](const Caches& caches) {
        auto all = with_caches(ten, caches, {1, 256});
        all->request.policy = models::read_policy("two-level:active=1").value();
        return all;
    };
    auto perfect = analyzed(ten);
    perfect->request.launch = {1, 256};
    perfect->request.policy = models::read_policy("two-level:active=1").value();
    const auto fitting = of_small_set({});
    const auto delay = envelope(*fitting).upper.proved - envelope(*perfect).upper.proved;
    // On one of two schedulers 3 lines that come together, of 30 and 200 cycles; 2 x 5 requests
    // of 2.
    EXPECT_EQ(delay.count(), 30 + 200 + 2 * 5 * 2);
    EXPECT_FALSE(of_small_set({.l0_lines = 2})->run());
}

TEST(FetchDelay, RefusesMissesThatTheNextOneMayMeet) {
    auto all = with_caches(ten, {.l0_lines = 2, .stream = 30}, {1, 128});
    const auto analysis = all->run();
    ASSERT_FALSE(analysis);
    EXPECT_THAT(analysis.error().what, HasSubstr("expected at least 62"));
}

// What is outstanding at the first read may have completed while the warp waited for its line.
TEST(FetchDelay, CountsInMeasuredTimes) {
    const std::string body = "FMUL R5, R2, R3; MUFU.COS R0, R2; S2R R0, SR_ClockLo; "
                             "FADD R6, R5, R5; S2R R1, SR_ClockLo; EXIT;";
    const auto with = with_caches(body, {});
    const auto fetching = with->run();
    const auto without = analyzed(body);
    const auto perfect = without->run();
    ASSERT_TRUE(fetching && fetching.value().measured_time);
    ASSERT_TRUE(perfect && perfect.value().measured_time);
    const auto& bounds = *fetching.value().measured_time;
    EXPECT_EQ((bounds.upper.proved - perfect.value().measured_time->upper.proved).count(),
              30 + 200 + 3 * 2);
    EXPECT_EQ(sum_of(bounds.upper.terms), bounds.upper.proved);
    EXPECT_LE(bounds.lower.proved, perfect.value().measured_time->lower.proved);
    EXPECT_GT(bounds.lower.proved.count(), 0);
}

} // namespace
} // namespace warpbound::analyzer

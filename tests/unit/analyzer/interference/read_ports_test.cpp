// Bounds on machines with read ports and a reuse cache (C60 to C62, S33).

#include "analyzer/microarchitecture/register_reads.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One scheduler, full-width units of latency 4, the register file of Ampere.
std::unique_ptr<Analyzed> on_ports(const std::string& body, models::FlowFacts facts = {}) {
    auto context = analyzed(body, std::move(facts), "hopper-h200", 90);
    models::Architecture& machine = context->architecture;
    for (const char* name : {"float-multiply-add", "nop", "clock-read", "exit"}) {
        tests::put_value(machine, fmt::format("classes/{}/initiation", name), {1, 1, 1});
        tests::put_value(machine, fmt::format("classes/{}/latency", name), {4, 4, 4});
    }
    tests::put_value(machine, "schedulers/count", {1, 1, 1});
    tests::put_value(machine, "register-file/banks", {2, 2, 2});
    tests::put_value(machine, "register-file/read-ports", {1, 1, 1});
    tests::put_value(machine, "register-file/read-window", {3, 3, 3});
    tests::put_value(machine, "register-file/reuse-slots", {3, 3, 3});
    return context;
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text + "\n";
    return all;
}

TEST(ReadPortBounds, OfListing1AreMet) {
    const auto measured = [](const char* x, const char* y) {
        const auto context = on_ports(fmt::format("CS2R.32 R30, SR_CLOCKLO ?trans1;"
                                                  "NOP ?trans1;"
                                                  "FFMA R11, R10, R12, R14 ?trans1;"
                                                  "FFMA R13, R16, {}, {} ?trans1;"
                                                  "NOP ?trans1;"
                                                  "CS2R.32 R31, SR_CLOCKLO ?trans1;"
                                                  "EXIT ?trans1;",
                                                  x, y));
        const auto analysis = context->run();
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        const auto bounds = analysis.value().measured_time->bounds();
        return std::pair{bounds.lower().count(), bounds.upper().count()};
    };
    EXPECT_EQ(measured("R17", "R19"), (std::pair{5L, 5L}));
    EXPECT_EQ(measured("R18", "R19"), (std::pair{6L, 6L}));
    EXPECT_EQ(measured("R18", "R22"), (std::pair{7L, 7L}));
}

BankCounts reads(const std::vector<BankCounts>& counts, std::size_t instruction) {
    return counts.at(instruction);
}

RegisterReads reads_of(const std::string& body) {
    const auto context = on_ports(body);
    auto counted =
        register_reads(*context->request.function, context->graph, context->architecture);
    EXPECT_TRUE(counted) << to_string(counted.error());
    return counted.value().value();
}

TEST(RegisterReads, LeaveOutWhatTheReuseCacheKeeps) {
    const RegisterReads counted = reads_of("FFMA R1, R2.reuse, R3, R4 ?trans1;"
                                           "FFMA R5, R7, R2, R8 ?trans1;"
                                           "FFMA R10, R2, R12, R13 ?trans1;"
                                           "FFMA R10, R2, R12, R13 ?trans1; EXIT ?trans1;");
    EXPECT_THAT(reads(counted.most_alone, 2), ElementsAre(1, 1));
    EXPECT_THAT(reads(counted.least, 2), ElementsAre(1, 1));
    EXPECT_THAT(reads(counted.most, 2), ElementsAre(2, 1)); // Others may empty the place.
    EXPECT_THAT(reads(counted.most_alone, 3), ElementsAre(2, 1));
    EXPECT_THAT(reads(counted.least, 3), ElementsAre(2, 1));
}

TEST(RegisterReads, OfPredicatedInstructionsDifferBySide) {
    const RegisterReads counted = reads_of("@P0 FFMA R1, R2.reuse, R3, R5 ?trans1;"
                                           "FFMA R5, R2, R7, R9 ?trans1; EXIT ?trans1;");
    EXPECT_THAT(reads(counted.most_alone, 0), ElementsAre(1, 2));
    EXPECT_THAT(reads(counted.least, 0), ElementsAre(0, 0));
    EXPECT_THAT(reads(counted.most_alone, 1), ElementsAre(1, 2)); // R2 need not be kept.
    EXPECT_THAT(reads(counted.least, 1), ElementsAre(0, 2));      // It may be.
}

TEST(RegisterReads, OfARegisterAtTwoPositionsAreOneOrTwo) {
    const RegisterReads counted = reads_of("FFMA R1, R2, R2, R4 ?trans1; EXIT ?trans1;");
    EXPECT_THAT(reads(counted.most_alone, 0), ElementsAre(3, 0));
    EXPECT_THAT(reads(counted.least, 0), ElementsAre(2, 0));
    EXPECT_EQ(counted.spacing(0), 3);
    EXPECT_EQ(counted.spacing(1), 1);
}

TEST(RegisterReads, OfALoopMayHitWhatItsEndKeeps) {
    const RegisterReads counted = reads_of("NOP ?trans1; L: FFMA R1, R2, R3, R5 ?trans1;"
                                           "FFMA R1, R2.reuse, R3, R5 ?trans1;"
                                           "@P0 BRA L ?trans5; EXIT ?trans1;");
    EXPECT_THAT(reads(counted.most_alone, 1), ElementsAre(1, 2));
    EXPECT_THAT(reads(counted.least, 1), ElementsAre(0, 2));
}

// The grid of an RTX 3060: 7 cycles per 4 FFMA by measurement; every read of every warp counts.
TEST(ReadPortBounds, OfManyWarpsContainTheRegisterGrid) {
    constexpr int groups = 100;
    constexpr int warps = 32;
    auto context = on_ports(repeated("FFMA R17, R8, R9, R5 ?trans1;"
                                     "FFMA R19, R8, R9, R10 ?trans1;"
                                     "FFMA R21, R8, R9, R10 ?trans1;"
                                     "FFMA R23, R8, R9, R10 ?trans1;",
                                     groups) +
                            "EXIT ?trans1;");
    context->request.launch = {1, 32 * warps};
    const auto bounds = envelope(*context).bounds();
    const double lower = static_cast<double>(bounds.lower().count()) / (groups * warps);
    const double upper = static_cast<double>(bounds.upper().count()) / (groups * warps);
    EXPECT_NEAR(lower, 7, 0.01);
    EXPECT_NEAR(upper, 8, 0.02);
}

// Each warp has its scheduler to itself: only its own reads delay it.
TEST(ReadPortBounds, OfWarpsOnSchedulersOfTheirOwnAreThoseOfOne) {
    const std::string body = repeated("FFMA R17, R8, R10, R12 ?trans1;", 50) + "EXIT ?trans1;";
    auto one = on_ports(body);
    auto four = on_ports(body);
    tests::put_value(four->architecture, "schedulers/count", {4, 4, 4});
    four->request.launch = {1, 128};
    EXPECT_EQ(envelope(*four).upper.proved, envelope(*one).upper.proved);
    EXPECT_EQ(envelope(*one).upper.proved, envelope(*one).lower.proved);
}

/// The upper bound of a launch of one block under a policy.
std::int64_t upper_under(const std::string& policy, const std::string& body, std::int64_t threads) {
    const auto context = on_ports(body);
    context->request.policy = models::read_policy(policy).value();
    context->request.launch = {1, threads};
    return envelope(*context).upper.proved.count();
}

// m = 3, L = 4. The path: ten gaps of 2, 8 from the EXIT on (L and a latency of 4), and 1 before
// the first slot. Of the five cycles after the first, each instruction of either warp blocks two
// slots.
TEST(ReadPortBounds, CountSlotsThatTheStagesBlock) {
    const std::string body = repeated("FFMA R1, R2, R4, R6 ?trans1;", 10) + "EXIT ?trans1;";
    EXPECT_EQ(upper_under("variable-rate:fast=0,every=2", body, 64),
              10 * 2 + 8 + 1 + 2 * 10 * 2 * 2);
    // Slots are 8 cycles apart: the four warps that come 2 to 5 slots before one block it.
    EXPECT_EQ(upper_under("variable-rate:fast=0,every=8", body, 256), 10 * 8 + 8 + 7 + 4 * 10 * 8);
}

// Two times of one slot for each turn but the first, 8 to completion, and two cycles for the reads
// of each of the twenty instructions: they take three cycles each.
TEST(ReadPortBounds, CountWhatReadsHoldStrictTurns) {
    const std::string body = repeated("FFMA R1, R2, R4, R6 ?trans1;", 10) + "EXIT ?trans1;";
    EXPECT_EQ(upper_under("srr", body, 64), 10 * 2 + 1 + 8 + 2 * 10 * 2);
}

TEST(ReadPortBounds, OfInstructionsThatReadABankOnceAreThoseWithoutPorts) {
    const std::string body = repeated("FFMA R1, R2, R3, RZ ?trans1;", 10) + "EXIT ?trans1;";
    for (const char* policy : {"srr", "variable-rate:fast=0,every=3"}) {
        const auto without = on_ports(body);
        without->architecture.register_file = {};
        without->request.policy = models::read_policy(policy).value();
        without->request.launch = {1, 96};
        EXPECT_EQ(upper_under(policy, body, 96), envelope(*without).upper.proved.count()) << policy;
    }
}

// The second instruction waits for 8 cycles and L = 4, rounded to 16; the EXIT issues at 24 and
// ends 8 later; 7 before the first slot. Of each of four warps both instructions block one slot
// of 8.
TEST(ReadPortBounds, RoundWaitsForResultsWithTheirLagToTimeSlots) {
    const auto context = on_ports("FFMA R1, R2, R4, R6 ?trans1; FFMA R3, R1, R4, R6 ?trans1; "
                                  "EXIT ?trans1;");
    context->architecture.issue_control = models::IssueControl::Interlocked;
    tests::put_value(context->architecture, "schedulers/same-warp-interval", {1, 1, 1});
    tests::put_value(context->architecture, "classes/float-multiply-add/latency", {8, 8, 8});
    context->request.policy = models::read_policy("variable-rate:fast=0,every=8").value();
    context->request.launch = {1, 256};
    EXPECT_EQ(envelope(*context).upper.proved.count(), 24 + 8 + 7 + 4 * 2 * 8);
}

TEST(ReadPortBounds, AreRefusedWhereRegistersWaitInSmallActiveSets) {
    auto small_set = on_ports("NOP ?trans1; EXIT ?trans1;");
    small_set->request.policy = models::read_policy("two-level:active=1").value();
    small_set->request.launch = {1, 64};
    EXPECT_TRUE(small_set->run());
    small_set->architecture.issue_control = models::IssueControl::Interlocked;
    const auto refused = small_set->run();
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("--assume register-file=none"));
    auto context = on_ports("NOP ?trans1; EXIT ?trans1;");
    tests::put_value(context->architecture, "register-file/read-ports", {2, 2, 2});
    EXPECT_THAT(to_string(context->run().error()), HasSubstr("one number from 1 to 1"));
}

/// Bounds of a sine of 20 cycles and of what waits for it, behind `stalls`.
std::pair<std::int64_t, std::int64_t> bounds_behind(int stalls, models::Interval delay,
                                                    const std::string& waiting = "NOP") {
    const auto context = on_ports(fmt::format("MUFU.SIN R2, R4 &wr=0x0 ?trans{};"
                                              "{} &req={{0}} ?trans1;"
                                              "NOP ?trans1;"
                                              "CS2R.32 R31, SR_CLOCKLO ?trans1;"
                                              "EXIT ?trans1;",
                                              stalls, waiting));
    tests::put_value(context->architecture, "classes/special-function/initiation", {1, 1, 1});
    tests::put_value(context->architecture, "classes/special-function/latency", {20, 20, 20});
    if (delay.hi >= 0) tests::put_value(context->architecture, "schedulers/counter-delay", delay);
    const auto bounds = envelope(*context).bounds();
    return {bounds.lower().count(), bounds.upper().count()};
}

// The latencies behind the wait end at 27: issues at 20, 21, 22, with 4 or 5 more. Without the
// wait the sine is the last to end.
TEST(Counters, AreNotWaitedForFromBelowWhereTheyMayNotBeSeen) {
    constexpr models::Interval absent{0, 0, -1};
    const auto [lower, upper] = bounds_behind(1, absent);
    EXPECT_EQ(lower, upper);
    EXPECT_GT(lower, 22);
    for (const models::Interval delay : {models::Interval{1, 1, 1}, models::Interval{0, {}, 1}}) {
        EXPECT_EQ(bounds_behind(1, delay), (std::pair<std::int64_t, std::int64_t>{20, upper}));
        EXPECT_EQ(bounds_behind(2, delay), (std::pair{lower, upper}));
    }
    EXPECT_EQ(bounds_behind(1, {0, 0, 0}), (std::pair{lower, upper}));
}

// An instruction that need not have waited says nothing of what is outstanding behind it: the time
// between two reads of the clock that both follow it.
TEST(Counters, StayOutstandingBehindAnInstructionThatMayNotHaveWaited) {
    const auto measured = [](bool late) {
        const auto context = on_ports("MUFU.SIN R2, R4 &wr=0x0 ?trans1;"
                                      "CS2R.32 R30, SR_CLOCKLO &req={0} ?trans2;"
                                      "NOP &req={0} ?trans1;"
                                      "CS2R.32 R31, SR_CLOCKLO ?trans1;"
                                      "EXIT ?trans1;");
        tests::put_value(context->architecture, "classes/special-function/initiation", {1, 1, 1});
        tests::put_value(context->architecture, "classes/special-function/latency", {20, 20, 20});
        if (late) tests::put_value(context->architecture, "schedulers/counter-delay", {1, 1, 1});
        const auto analysis = context->run();
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        return analysis.value().measured_time->bounds().upper().count();
    };
    EXPECT_EQ(measured(false), 3);
    EXPECT_GE(measured(true), 20); // Reads at 1 and 21.
}

TEST(Counters, AreRefusedWhereTheyMayCountTooFar) {
    const auto refusal = [](const std::string& body, models::FlowFacts facts = {}) {
        const auto context = on_ports(body, std::move(facts));
        tests::put_value(context->architecture, "schedulers/counter-delay", {1, 1, 1});
        tests::put_value(context->architecture, "classes/special-function/latency", {20, 20, 20});
        const auto analysis = context->run();
        return analysis ? std::string{} : to_string(analysis.error());
    };
    const std::string sine = "MUFU.SIN R2, R4 &wr=0x0 ?trans2;";
    EXPECT_EQ(refusal(repeated(sine, 63) + "EXIT ?trans5;"), "");
    EXPECT_THAT(refusal(repeated(sine, 64) + "EXIT ?trans5;"), HasSubstr("more than 63"));
    // The one before the wait counts on.
    const std::string waiting = repeated(sine, 63) + "NOP &req={0} ?trans1;";
    EXPECT_EQ(refusal(waiting + repeated(sine, 62) + "EXIT ?trans5;"), "");
    EXPECT_THAT(refusal(waiting + repeated(sine, 63) + "EXIT ?trans5;"), HasSubstr("more than 63"));
    // A loop in which nothing waits.
    models::FlowFacts facts;
    facts.loops.push_back({0, 1, 2, {}});
    EXPECT_THAT(refusal("L: " + sine + "@P0 BRA L ?trans5; EXIT ?trans5;", facts),
                HasSubstr("more than 63"));
    EXPECT_EQ(
        refusal("L: " + sine + "NOP &req={0} ?trans1; @P0 BRA L ?trans5; EXIT ?trans5;", facts),
        "");
}

} // namespace
} // namespace warpbound::analyzer

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

TEST(ReadPortBounds, AreRefusedUnderOtherPolicies) {
    for (const char* policy : {"srr", "variable-rate:fast=0,every=2"}) {
        auto context = on_ports("NOP ?trans1; EXIT ?trans1;");
        context->request.policy = models::read_policy(policy).value();
        EXPECT_TRUE(context->run()) << policy; // One warp.
        context->request.launch = {1, 64};
        const auto refused = context->run();
        ASSERT_FALSE(refused) << policy;
        EXPECT_THAT(to_string(refused.error()), HasSubstr("--assume register-file=none"));
    }
    auto small_set = on_ports("NOP ?trans1; EXIT ?trans1;");
    small_set->request.policy = models::read_policy("two-level:active=1").value();
    small_set->request.launch = {1, 64};
    EXPECT_TRUE(small_set->run());
    auto context = on_ports("NOP ?trans1; EXIT ?trans1;");
    tests::put_value(context->architecture, "register-file/read-ports", {2, 2, 2});
    EXPECT_THAT(to_string(context->run().error()), HasSubstr("one number from 1 to 1"));
}

} // namespace
} // namespace warpbound::analyzer

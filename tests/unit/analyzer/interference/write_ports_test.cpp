// Bounds on machines with write ports (C108, S69).

#include "models/launch/warp_policy.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

/// One scheduler with two banks, arithmetic of latency 4, LDS of latency 9 for one transaction.
std::unique_ptr<Analyzed> on_write_ports(const std::string& body, bool has_write_ports = true) {
    models::FlowFacts facts;
    facts.memory.emplace_back().conflict_degree = models::CountRange{1, 1};
    auto context = analyzed(body, std::move(facts), "hopper-h200", 90);
    models::Architecture& machine = context->architecture;
    machine.memory_queue = {};
    for (const char* name : {"float-multiply-add", "double", "exit"})
        for (const auto& [value, cycles] : {std::pair{"initiation", 1}, std::pair{"latency", 4}})
            tests::put_value(machine, fmt::format("classes/{}/{}", name, value),
                             {cycles, cycles, cycles});
    tests::put_value(machine, "classes/load-shared/initiation", {1, 1, 1});
    for (const char* name : {"latency", "latency-regular-32", "latency-regular-128"})
        tests::put_value(machine, fmt::format("classes/load-shared/{}", name), {9, 9, 9});
    tests::put_value(machine, "register-file/banks", {2, 2, 2});
    tests::put_value(machine, "register-file/read-ports", {1, 1, 1});
    tests::put_value(machine, "register-file/read-window", {3, 3, 3});
    tests::put_value(machine, "register-file/reuse-slots", {3, 3, 3});
    if (has_write_ports) tests::put_value(machine, "register-file/write-ports", {1, 1, 1});
    tests::put_value(machine, "schedulers/count", {1, 1, 1});
    return context;
}

std::string load_and_result(const char* reg, int stall) {
    return fmt::format("LDS R2, [R4] &wr=0x0 ?trans{};"
                       "FFMA {}, R1, R3, R5 ?trans1;"
                       "FFMA R9, R2, R3, R5 &req={{0}} ?trans1;"
                       "EXIT ?trans1;",
                       stall, reg);
}

std::int64_t upper_of(const std::string& body, std::int64_t threads = 32,
                      bool has_write_ports = true) {
    const auto context = on_write_ports(body, has_write_ports);
    context->request.launch = {1, threads};
    return envelope(*context).bounds().upper().count();
}

/// By how much write ports make the bound larger.
std::int64_t delay_of(const std::string& body, std::int64_t threads = 32) {
    return upper_of(body, threads) - upper_of(body, threads, false);
}

// LDS at 0 is due at 9, where FFMA R6 of 5 is written.
TEST(WritePortBounds, OfALoadThatMeetsAResult) {
    EXPECT_EQ(delay_of(load_and_result("R6", 5)), 1);
    EXPECT_EQ(delay_of(load_and_result("R7", 5)), 0); // In another bank than R2.
    EXPECT_EQ(delay_of(load_and_result("R6", 4)), 0); // It is written at 8.
}

// Two registers of each bank are written in 8 and 9: with one of these taken, in 10 at the latest.
TEST(WritePortBounds, OfALoadOfSeveralRegisters) {
    const auto wide = [](int stall) {
        return fmt::format("LDS.128 R12, [R4] &wr=0x0 ?trans{};"
                           "FFMA R6, R1, R3, R5 ?trans1;"
                           "FFMA R9, R12, R3, R5 &req={{0}} ?trans5;"
                           "EXIT ?trans1;",
                           stall);
    };
    EXPECT_EQ(delay_of(wide(3)), 0);
    EXPECT_EQ(delay_of(wide(4)), 1);
}

// The demand of a warp is the same with write ports; of S33, L = max(3, 1) + 3 - 2 = 4, and FFMA R6
// at 5 lets the load wait until 5 + L + 4 + 1 = 14 in place of 9.
TEST(WritePortBounds, OfSeveralWarpsChangeTheCriticalPathAlone) {
    for (const std::int64_t threads : {64, 128, 512})
        EXPECT_EQ(delay_of(load_and_result("R6", 5), threads), 5);
}

TEST(WritePortBounds, AreRefusedUnderPoliciesThatHoldBack) {
    for (const char* policy : {"srr", "two-level:active=1", "variable-rate:fast=1,every=3"}) {
        const auto context = on_write_ports(load_and_result("R6", 5));
        context->request.launch = {1, 64};
        context->request.policy = models::read_policy(policy).value();
        const auto analysis = context->run();
        ASSERT_FALSE(analysis) << policy;
        EXPECT_THAT(to_string(analysis.error()), HasSubstr("register-file")) << policy;
        context->request.launch = {1, 32};
        EXPECT_TRUE(context->run()) << policy;
    }
}

std::string refusal_of(const std::string& body, const char* value, std::int64_t number) {
    const auto context = on_write_ports(body);
    tests::put_value(context->architecture, value, {number, number, number});
    const auto analysis = context->run();
    return analysis ? std::string{} : to_string(analysis.error());
}

TEST(WritePortBounds, AreRefusedWhereTheRuleDoesNotSay) {
    EXPECT_THAT(refusal_of("DADD R2, R4, R6 ?trans1; EXIT ?trans5;", "register-file/banks", 1),
                HasSubstr("several registers of a bank"));
    EXPECT_THAT(refusal_of(load_and_result("R6", 5), "register-file/write-ports", 2),
                HasSubstr("1 was expected"));
    EXPECT_THAT(refusal_of(load_and_result("R6", 5), "classes/float-multiply-add/latency", 0),
                HasSubstr("at least one cycle"));
}

TEST(WritePortBounds, SayWhatTheyAssume) {
    for (const bool has_write_ports : {false, true}) {
        const auto context = on_write_ports(load_and_result("R6", 5), has_write_ports);
        const auto analysis = context->run();
        ASSERT_TRUE(analysis);
        const auto& all = analysis.value().assumptions;
        EXPECT_EQ(std::any_of(all.begin(), all.end(),
                              [](const Assumption& assumption) {
                                  return assumption.text.find("nor do their results") !=
                                         std::string::npos;
                              }),
                  !has_write_ports);
    }
}

} // namespace
} // namespace warpbound::analyzer

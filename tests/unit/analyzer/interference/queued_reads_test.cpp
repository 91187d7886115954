// Bounds on machines whose reads of variable latency wait for read ports (C111, S73).

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

/// One scheduler with two banks and a window of 3, arithmetic of latency 4; LDS of latency 9 reads
/// its address in 5.
std::unique_ptr<Analyzed> on_queued_reads(const std::string& body, bool waits = true) {
    models::FlowFacts facts;
    facts.memory.emplace_back().conflict_degree = models::CountRange{1, 1};
    auto context = analyzed(body, std::move(facts), "hopper-h200", 90);
    models::Architecture& machine = context->architecture;
    machine.memory_queue = {};
    for (const char* name : {"float-multiply-add", "exit"})
        for (const auto& [value, cycles] : {std::pair{"initiation", 1}, std::pair{"latency", 4}})
            tests::put_value(machine, fmt::format("classes/{}/{}", name, value),
                             {cycles, cycles, cycles});
    tests::put_value(machine, "classes/load-shared/initiation", {1, 1, 1});
    for (const char* name : {"latency", "latency-regular-32"})
        tests::put_value(machine, fmt::format("classes/load-shared/{}", name), {9, 9, 9});
    for (const char* name : {"source-read", "source-read-regular-32"})
        tests::put_value(machine, fmt::format("classes/load-shared/{}", name), {5, 5, 5});
    for (const auto& [name, value] : {std::pair{"banks", 2}, std::pair{"read-ports", 1},
                                      std::pair{"read-window", 3}, std::pair{"reuse-slots", 3}})
        tests::put_value(machine, fmt::format("register-file/{}", name), {value, value, value});
    if (waits) tests::put_value(machine, "register-file/variable-latency-reads", {1, 1, 1});
    tests::put_value(machine, "schedulers/count", {1, 1, 1});
    return context;
}

/// LDS of R1, then an instruction that reads, and one that waits for the scoreboard.
std::string load_and_reads(const char* operands, const char* barrier = "&wr=0x0") {
    return fmt::format("LDS R2, [R1] {} ?trans1;"
                       "FFMA R6, {} ?trans1;"
                       "EXIT &req={{0}} ?trans1;",
                       barrier, operands);
}

std::int64_t upper_with(const std::string& body, std::int64_t threads, bool waits) {
    const auto context = on_queued_reads(body, waits);
    context->request.launch = {1, threads};
    return envelope(*context).bounds().upper().count();
}

/// By how much the waits make the bound larger.
std::int64_t delay_by_reads(const std::string& body, std::int64_t threads = 32) {
    return upper_with(body, threads, true) - upper_with(body, threads, false);
}

// What was granted before the load has read by its time; each later read counts, in the bank of R1.
TEST(QueuedReadBounds, OfALoadBeforeReads) {
    EXPECT_EQ(delay_by_reads(load_and_reads("R1, R3, R5")), 3);
    EXPECT_EQ(delay_by_reads(load_and_reads("R1, R4, R6")), 1);
    EXPECT_EQ(delay_by_reads(load_and_reads("R2, R4, R6")), 0);
}

// The read barrier is released in 5 without waits, but EXIT issues in 2 at the earliest.
TEST(QueuedReadBounds, OfTheReadBarrier) {
    EXPECT_EQ(delay_by_reads(load_and_reads("R1, R3, R5", "&rd=0x0")), 3);
    EXPECT_EQ(delay_by_reads(load_and_reads("R2, R4, R6", "&rd=0x0")), 0);
}

// Of S33, L = max(3, 1) + 3 - 2 = 4, so K = 4. What was granted before has read by L + w + 1 = 8,
// the address is read by 9 in place of 5. FFMA adds 1, its gap; the rest is in its m - G.
TEST(QueuedReadBounds, OfSeveralWarpsChangeTheCriticalPathAlone) {
    for (const std::int64_t threads : {64, 128, 512})
        EXPECT_EQ(delay_by_reads(load_and_reads("R1, R3, R5"), threads), 9 - 5 + 4 + 1);
}

TEST(QueuedReadBounds, AreRefusedUnderPoliciesThatHoldBack) {
    for (const char* policy : {"srr", "two-level:active=1", "variable-rate:fast=1,every=3"}) {
        const auto context = on_queued_reads(load_and_reads("R1, R3, R5"));
        context->request.launch = {1, 64};
        context->request.policy = models::read_policy(policy).value();
        const auto analysis = context->run();
        ASSERT_FALSE(analysis) << policy;
        EXPECT_THAT(to_string(analysis.error()), HasSubstr("variable-latency-reads")) << policy;
        context->request.launch = {1, 32};
        EXPECT_TRUE(context->run()) << policy;
    }
}

std::string refusal_with(const char* value, std::int64_t number) {
    const auto context = on_queued_reads(load_and_reads("R1, R3, R5", "&wr=0x0 &rd=0x1"));
    tests::put_value(context->architecture, value, {number, number, number});
    const auto analysis = context->run();
    return analysis ? std::string{} : to_string(analysis.error());
}

TEST(QueuedReadBounds, AreRefusedWhereTheRuleDoesNotSay) {
    EXPECT_THAT(refusal_with("register-file/variable-latency-reads", 2),
                HasSubstr("one number from 1 to 1"));
    EXPECT_THAT(refusal_with("classes/load-shared/source-read-regular-32", 0),
                HasSubstr("at least one cycle"));
    EXPECT_THAT(refusal_with("memory-queue/places", 5), HasSubstr("--assume memory-queue=none"));
}

TEST(QueuedReadBounds, SayWhatTheyAssume) {
    for (const bool waits : {false, true}) {
        const auto context = on_queued_reads(load_and_reads("R1, R3, R5"), waits);
        const auto analysis = context->run();
        ASSERT_TRUE(analysis);
        const auto& all = analysis.value().assumptions;
        EXPECT_EQ(std::any_of(all.begin(), all.end(),
                              [](const Assumption& assumption) {
                                  return assumption.text.find("wait while those of fixed latency "
                                                              "take a port") != std::string::npos;
                              }),
                  waits);
    }
}

} // namespace
} // namespace warpbound::analyzer

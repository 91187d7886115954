// Random small programs under every draw, checked by the independent event checker.

#include "harness/simulator/decode/translation.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/harness/simulator/any_order.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace warpbound::harness::simulator::test {
namespace {

std::vector<std::string> violations_of(const Case& test, const TestRun& run,
                                       const models::WarpPolicy& policy) {
    return tests::violations(test.program.kernel(test.launch), test.machine, policy,
                             {run.events, run.observation.execution_time.count()});
}

TEST(RandomPrograms, ObeyEveryRuleOfTheContract) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Case test = random_case(seed);
        for (const Draw draw : all_draws) {
            const RunOptions options{.seed = seed, .draw = draw, .path = {}};
            const TestRun result = run(test.program, test.machine, test.launch, options);
            EXPECT_THAT(violations_of(test, result, {}), testing::IsEmpty())
                << "seed " << seed << ", draw " << to_string(draw);
            if (testing::Test::HasFailure()) return;
        }
    }
}

// Every policy satisfies the same rules; only work-conserving ones never leave a scheduler idle.
TEST(RandomPrograms, ObeyTheContractUnderEveryPolicy) {
    for (const std::string& name :
         tests::conserving_policies({"two-level:active=1", "two-level:active=3", "srr",
                                     "variable-rate", "variable-rate:fast=1,every=3,conserving"})) {
        const auto policy = models::read_policy(name);
        ASSERT_TRUE(policy) << policy.error().what;
        for (std::uint64_t seed = 1; seed <= 150; ++seed) {
            const Case test = random_case(seed);
            const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
            const TestRun result =
                run(test.program, test.machine, test.launch, options, policy.value());
            EXPECT_THAT(violations_of(test, result, policy.value()), testing::IsEmpty())
                << name << ", seed " << seed;
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(RandomPrograms, ObeyTheContractThroughFetchAndOperandCollectors) {
    const auto names = tests::conserving_policies(
        {"two-level:active=2", "srr", "variable-rate:fast=1,every=3,conserving"});
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto policy = models::read_policy(names[seed % names.size()]).value();
        const Case test = random_pipeline_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 4], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomPrograms, ObeyTheContractThroughReadPorts) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto policy = tests::policy_of(seed);
        const Case test = random_ports_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomPrograms, ObeyTheContractWithReadsOfVariableLatency) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto policy = tests::policy_of(seed);
        const Case test = random_queued_reads_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomPrograms, ObeyTheContractThroughMemoryQueues) {
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        const auto policy = tests::policy_of(seed);
        const Case test = random_queue_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomPrograms, ObeyTheContractWithFormsOfInstructions) {
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        const auto policy = tests::policy_of(seed);
        const Case test = random_forms_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomPrograms, ObeyTheContractWithInstructionCaches) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto policy = tests::policy_of(seed);
        const Case test = random_instruction_cache_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomPrograms, ObeyTheContractWithConstants) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const auto policy = tests::policy_of(seed);
        const Case test = random_constant_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RandomPrograms, ObeyTheContractWithConstantOperandsPerScheduler) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto policy = tests::policy_of(seed);
        const Case test = random_operand_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options, policy);
        EXPECT_THAT(violations_of(test, result, policy), testing::IsEmpty())
            << to_string(policy) << ", seed " << seed << ", draw " << to_string(options.draw);
        if (testing::Test::HasFailure()) return;
    }
}

/// Changes the first event of its type for which `change` says so, or drops it where `change` sets
/// its cycle to -1. Returns whether there was one.
template <typename EventType, typename Change>
bool plant(std::vector<Event>& events, Change change) {
    for (auto event = events.begin(); event != events.end(); ++event) {
        auto* const found = std::get_if<EventType>(&*event);
        if (found == nullptr || !change(*found)) continue;
        if (found->cycle < 0) events.erase(event);
        return true;
    }
    return false;
}

// A hit that is none, a missing look-up, a hold that ends too late, a line that arrives earlier
// than it is said to.
TEST(RandomPrograms, AreCheckedForTheirConstantOperands) {
    std::array<int, 4> planted{};
    std::array<int, 4> found{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Case test = random_operand_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options);
        for (std::size_t kind = 0; kind < planted.size(); ++kind) {
            TestRun changed = result;
            const auto change = [&](LineAccessed& access) {
                if (access.level != CacheLevel::Operand || access.cycle == 0) return false;
                if (kind != 1 && access.missed == 0) return false;
                if (kind == 0) access.hit = std::exchange(access.missed, 0);
                if (kind == 1) access.cycle = -1;
                if (kind == 2) access.held_until += 100;
                return true;
            };
            const auto arrive = [](LineFilled& filled) {
                if (filled.level != CacheLevel::Operand) return false;
                filled.cycle -= 1;
                return true;
            };
            const bool is_planted = kind == 3 ? plant<LineFilled>(changed.events, arrive)
                                              : plant<LineAccessed>(changed.events, change);
            if (!is_planted) continue;
            ++planted[kind];
            if (!violations_of(test, changed, {}).empty()) ++found[kind];
        }
    }
    EXPECT_THAT(planted, testing::Each(testing::Gt(10)));
    // Of two lines of an instruction the earlier may arrive at any time.
    EXPECT_GT(found[3] * 10, planted[3] * 8);
    found[3] = planted[3];
    EXPECT_EQ(found, planted);
}

// A hit that is none, a missing look-up, a line that arrives earlier than it is said to, and a
// look-up in the L1 that is none of those requested.
TEST(RandomPrograms, AreCheckedForTheirInstructionCaches) {
    std::array<int, 4> planted{};
    std::array<int, 4> found{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Case test = random_instruction_cache_case(seed);
        const RunOptions options{.seed = seed, .draw = all_draws[seed % 5], .path = {}};
        const TestRun result = run(test.program, test.machine, test.launch, options);
        for (std::size_t kind = 0; kind < planted.size(); ++kind) {
            TestRun changed = result;
            const auto at = [](const auto& event, CacheLevel level) {
                return event.level == level && event.cycle > 0;
            };
            bool is_planted = false;
            if (kind == 2)
                is_planted = plant<LineFilled>(changed.events, [&](LineFilled& filled) {
                    if (!at(filled, CacheLevel::InstructionL0)) return false;
                    filled.cycle -= 1;
                    return true;
                });
            else
                is_planted = plant<LineAccessed>(changed.events, [&](LineAccessed& access) {
                    if (!at(access,
                            kind == 3 ? CacheLevel::InstructionL1 : CacheLevel::InstructionL0) ||
                        (kind == 0 && access.hit != 0))
                        return false;
                    if (kind == 0) {
                        access.hit = 1;
                        access.missed = 0;
                        access.merged = 0;
                    }
                    if (kind == 1) access.cycle = -1;
                    if (kind == 3) access.address += 1024;
                    return true;
                });
            if (!is_planted) continue;
            ++planted[kind];
            if (!violations_of(test, changed, {}).empty()) ++found[kind];
        }
    }
    for (std::size_t kind = 0; kind < planted.size(); ++kind) {
        EXPECT_GT(planted[kind], 30) << kind;
        EXPECT_EQ(found[kind], planted[kind]) << kind;
    }
}

// Components read only what is visible, so the order in which they tick cannot matter.
TEST(RandomPrograms, DoNotDependOnTheOrderOfComponents) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Case test = seed % 4 == 0   ? random_pipeline_case(seed)
                          : seed % 4 == 1 ? random_constant_case(seed)
                          : seed % 4 == 2 ? random_ports_case(seed)
                          : seed % 8 == 3 ? random_instruction_cache_case(seed)
                          : seed % 8 == 7 ? random_queue_case(seed)
                                          : random_case(seed);
        const auto code = translate(test.machine, test.program.kernel(test.launch));
        ASSERT_TRUE(code) << code.error().what;
        run_in_any_order(code.value(), seed);
    }
}

} // namespace
} // namespace warpbound::harness::simulator::test

/// \file
/// Bounds of random kernels on machines with memory queues (C71 to C74), against simulated runs:
/// one warp and many, with blocks, barriers and divergence, under all policies.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "tests/support/bounded_launches.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/instruction_forms.hpp"
#include "tests/support/median.hpp"
#include "tests/support/queue_accesses.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/verified_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace warpbound {
namespace {

/// As H25 measured them: two banks with a port each.
void put_read_ports(models::Architecture& architecture) {
    for (const auto& [name, value] : {std::pair{"banks", 2}, std::pair{"read-ports", 1},
                                      std::pair{"read-window", 3}, std::pair{"reuse-slots", 3}})
        tests::put_value(architecture, std::string{"register-file/"} + name, {value, value, value});
}

tests::BoundedLaunch check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource random{seed};
    tests::BoundedLaunch verdict;
    verdict.straight = seed % 6 == 0;
    models::Architecture architecture = described.architecture;
    tests::put_memory_queue(architecture, random, verdict.straight);
    const bool tells_forms_apart = seed % 2 == 0;
    if (tells_forms_apart) tests::put_forms(architecture, random, verdict.straight);
    tests::put_block_places(architecture, random);
    if (seed % 5 == 4) tests::put_value(architecture, "schedulers/count", {1, 1, 1});
    if (described.sm >= 75 && seed % 7 < 3) put_read_ports(architecture);
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 3 + static_cast<int>(seed % 14);
    options.depth = 1 + static_cast<int>(seed % 2);
    options.clock_reads = false;
    options.memory = seed % 5 == 3;
    options.further_facts = false;
    options.divergence = !verdict.straight && seed % 4 == 1;
    options.barriers = !verdict.straight && seed % 3 == 1;
    options.conditional_barriers = options.barriers && !options.divergence && seed % 7 == 0;
    if (verdict.straight) {
        options.depth = 0;
        options.predicates = false;
        options.statements = 4 + static_cast<int>(seed % 40);
    }
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts);
        return verdict;
    };
    auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    tests::ReadKernel& made = *loaded.value();
    tests::access_more(made.program.functions.front(), made.facts, random, verdict.straight);
    if (tells_forms_apart) tests::mix_forms(made.program.functions.front(), random);
    verdict.diverges = !made.facts.divergents.empty();

    analyzer::Request request = tests::request_of(made, architecture);
    constexpr std::array policies{"lrr",     "gto",
                                  "oldest",  "two-level:active=48",
                                  "unknown", "variable-rate:fast=0,every=2,conserving"};
    if (seed / 3 % 3 > 0) tests::draw_launch(request, random);
    request.policy = models::read_policy(policies[seed / 11 % policies.size()]).value();
    tests::note_launch(verdict, request);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refusal = to_string(analysis.error());
        return verdict.diverges ? verdict : fail("not analyzed: " + verdict.refusal);
    }
    const auto bounds = analysis.value().execution_time.bounds();
    if (!verdict.diverges && seed % 8 == 0) {
        analyzer::CertificateStore certificates;
        request.certificates = &certificates;
        const auto proved = analyzer::analyze(request);
        if (!proved) return fail("no evidence: " + to_string(proved.error()));
        if (!made.has_further_facts() &&
            proved.value().execution_time.bounds().upper() !=
                tests::upper_with_evidence(analysis.value().execution_time.upper) &&
            analysis.value().execution_time.upper.outcome == analyzer::Outcome::Optimal &&
            made.function->instructions.size() < 100)
            return fail("another bound with evidence");
    }
    const auto machine = tests::prepare_launch(request, architecture);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    // Through read ports reads may be drawn.
    const bool is_exact =
        verdict.straight && !verdict.several_warps && !architecture.has_read_ports();
    const auto failure = tests::run_every_draw(
        *machine.value(), request, bounds, seed * 7919, verdict,
        [&](const models::Observation& observed, harness::Draw draw, std::uint64_t) {
            return is_exact ? tests::met_from_both_sides(observed, bounds, draw) : std::string{};
        });
    if (!failure.empty()) return fail(failure);
    models::Architecture roomy = architecture;
    tests::put_value(roomy, "memory-queue/interval", {1, 1, 1});
    tests::put_value(roomy, "memory-queue/places", {1000, 1000, 1000});
    const auto without = tests::prepare_launch(request, roomy);
    if (!without) return fail("not simulated: " + to_string(without.error()));
    verdict.is_delayed = tests::is_slower(*machine.value(), *without.value(), seed * 7919 + 5);
    return verdict;
}

struct HeldBackLaunch : tests::BoundedLaunch {
    std::string policy;   ///< Without its numbers.
    bool exceeds = false; ///< A run takes longer than the bound of a machine whose queues are wide.
    bool is_verified = false; ///< The verifier adds up the same sum.
    double certified = 0;     ///< Upper bound with evidence over the longest run.
};

/// A policy that holds warps back though the scheduler could choose them.
std::string policy_that_holds_back(std::uint64_t seed, tests::RandomSource& random) {
    if (seed % 3 == 0) return "srr";
    if (seed % 3 == 1) return "two-level:active=" + std::to_string(random.whole(1, 3));
    return "variable-rate:fast=" + std::to_string(random.whole(0, 2)) +
           ",every=" + std::to_string(random.whole(2, random.whole(2, 7)));
}

/// Queues of up to 60 cycles between hand-overs, and warps that access more than they compute.
void slow_queues(models::Architecture& machine, tests::RandomSource& random) {
    const std::int64_t interval = random.whole(5, 60);
    tests::put_value(machine, "memory-queue/interval", {random.whole(1, interval), {}, interval});
    const std::int64_t places = random.whole(1, 3);
    tests::put_value(machine, "memory-queue/places", {places, places, places});
}

/// Bounds with evidence, its sum by the verifier, and every draw of runs.
std::string hold_back(analyzer::Request& request, const analyzer::Analysis& analysis,
                      const models::Architecture& architecture, std::uint64_t seed,
                      HeldBackLaunch& verdict) {
    const auto bounds = analysis.execution_time.bounds();
    analyzer::CertificateStore certificates;
    request.certificates = &certificates;
    const auto proved = analyzer::analyze(request);
    if (!proved) return "no evidence: " + to_string(proved.error());
    const auto certified = proved.value().execution_time.bounds();
    if (certified.upper() < bounds.upper() || bounds.lower() < certified.lower())
        return "evidence of a tighter bound than was found";
    if (!verdict.diverges) {
        if (const std::string rejected =
                tests::rejection_of_sum(request, proved.value(), certificates);
            !rejected.empty())
            return "the verifier: " + rejected;
        verdict.is_verified = true;
    }
    request.certificates = nullptr;
    const auto machine = tests::prepare_launch(request, architecture);
    if (!machine) return "not simulated: " + to_string(machine.error());
    std::int64_t longest = 0;
    const auto failure = tests::run_every_draw(
        *machine.value(), request, bounds, seed * 7919, verdict,
        [&](const models::Observation& observed, harness::Draw, std::uint64_t) {
            longest = std::max(longest, observed.execution_time.count());
            return std::string{};
        });
    if (!failure.empty()) return failure;
    verdict.certified =
        static_cast<double>(certified.upper().count()) / static_cast<double>(longest);
    models::Architecture wide = architecture;
    tests::put_value(wide, "memory-queue/interval", {1, 1, 1});
    tests::put_value(wide, "memory-queue/places", {1000, 1000, 1000});
    request.architecture = &wide;
    if (const auto other = analyzer::analyze(request))
        verdict.exceeds = other.value().execution_time.bounds().upper().count() < longest;
    return {};
}

HeldBackLaunch check_held_back(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource random{seed};
    HeldBackLaunch verdict;
    models::Architecture architecture = described.architecture;
    tests::put_memory_queue(architecture, random, false);
    if (seed / 4 % 3 == 0) slow_queues(architecture, random);
    tests::put_block_places(architecture, random);
    if (seed / 3 % 5 > 0) {
        const std::int64_t schedulers = random.whole(1, 2);
        tests::put_value(architecture, "schedulers/count", {schedulers, schedulers, schedulers});
    }
    if (seed / 5 % 4 == 0) {
        const std::int64_t slot = random.whole(2, 3);
        tests::put_value(architecture, "schedulers/issue-slot", {slot, slot, slot});
    }
    if (described.sm >= 75 && seed / 7 % 7 < 2) put_read_ports(architecture);
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 3 + static_cast<int>(seed % 14);
    options.depth = static_cast<int>(seed / 2 % 3);
    options.max_iterations = 4;
    options.clock_reads = false;
    options.memory = seed % 5 == 3;
    options.further_facts = false;
    options.divergence = seed / 3 % 6 == 1;
    options.barriers = seed / 3 % 3 == 1;
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          ", policy " + verdict.policy + "\n" + kernel.text +
                          models::write_flow_facts(kernel.facts);
        return verdict;
    };
    auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    tests::ReadKernel& made = *loaded.value();
    tests::access_more(made.program.functions.front(), made.facts, random, false);
    verdict.diverges = !made.facts.divergents.empty();
    analyzer::Request request = tests::request_of(made, architecture);
    tests::draw_launch(request, random);
    verdict.policy = policy_that_holds_back(seed, random);
    request.policy = models::read_policy(verdict.policy).value();
    tests::note_launch(verdict, request);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refusal = to_string(analysis.error());
        const bool is_about_queue = verdict.refusal.find("memory-queue") != std::string::npos;
        return is_about_queue ? fail("not analyzed: " + verdict.refusal) : verdict;
    }
    const auto failure = hold_back(request, analysis.value(), architecture, seed, verdict);
    return failure.empty() ? verdict : fail(failure);
}

TEST(MemoryQueueBounds, HoldWherePoliciesHoldWarpsBack) {
    tests::LaunchCounts counts;
    std::map<std::string, std::vector<double>> tightness; // By policy, without its numbers.
    std::map<std::string, std::vector<double>> certified;
    std::map<std::string, int> exceeding;
    std::uint64_t verified = 0;
    const std::uint64_t cases = tests::run_campaign(check_held_back, [&](const auto& verdict) {
        if (!counts.add(verdict)) return;
        const std::string policy = verdict.policy.substr(0, verdict.policy.find(':'));
        tightness[policy].push_back(verdict.tightness);
        certified[policy].push_back(verdict.certified);
        if (verdict.exceeds) ++exceeding[policy];
        if (verdict.is_verified) ++verified;
    });
    counts.record();
    RecordProperty("verified", std::to_string(verified));
    for (auto& [policy, ratios] : tightness) {
        RecordProperty("median_upper_" + policy, std::to_string(tests::median_of(ratios)));
        RecordProperty("least_upper_" + policy, std::to_string(*std::ranges::min_element(ratios)));
        RecordProperty("median_certified_" + policy,
                       std::to_string(tests::median_of(certified[policy])));
        RecordProperty("exceeding_" + policy, std::to_string(exceeding[policy]));
        EXPECT_LT(tests::median_of(ratios), 6.0) << policy;
        EXPECT_GT(ratios.size() * 5, cases) << policy;
        if (cases >= 600) {
            EXPECT_GT(exceeding[policy], 0) << "no run needs the queue under " << policy;
        }
    }
    EXPECT_GT(verified * 2, cases);
    EXPECT_GT(counts.shared * 6, cases);
    EXPECT_GT(counts.divergent * 20, cases);
    EXPECT_LT(counts.refused * 5, cases);
}

TEST(MemoryQueueBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    tests::LaunchCounts counts;
    const std::uint64_t cases =
        tests::run_campaign(check_case, [&](const auto& verdict) { counts.add(verdict); });
    counts.record();
    EXPECT_GT(counts.delayed * 4, counts.bounded) << "queues delayed hardly a run";
    EXPECT_GT(counts.straight * 60, cases);
    EXPECT_GT(counts.several * 3, cases);
    EXPECT_GT(counts.shared * 6, cases);
    EXPECT_GT(counts.divergent * 10, cases);
    EXPECT_LT(counts.refused * 10, cases);
}

} // namespace
} // namespace warpbound

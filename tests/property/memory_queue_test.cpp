/// \file
/// Bounds of random kernels on machines with memory queues (C71 to C74), against simulated runs:
/// one warp and many, with blocks, barriers and divergence.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "tests/support/bounded_launches.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/instruction_forms.hpp"
#include "tests/support/queue_accesses.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace warpbound {
namespace {

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
    if (described.sm >= 75 && seed % 7 < 3)
        for (const auto& [name, value] : {std::pair{"banks", 2}, std::pair{"read-ports", 1},
                                          std::pair{"read-window", 3}, std::pair{"reuse-slots", 3}})
            tests::put_value(architecture, std::string{"register-file/"} + name,
                             {value, value, value});
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

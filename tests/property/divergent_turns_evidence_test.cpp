/// \file
/// Bundles of random launches in strict turns on machines with encoded issue control, whose lanes
/// diverge: claims are the bounds of the analysis, the check finds each gap between lanes (C41)
/// again, and simulated runs are inside.

#include "assembly/support/source_text.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/loop_exit_kernel.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/stated_uniformity.hpp"
#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace warpbound {
namespace {

namespace check = certification::verify;

using Verdict = tests::CountedVerdict;

struct DivergentCode {
    std::string text;
    models::FlowFacts facts;
    models::Architecture machine;
};

tests::RandomKernelOptions random_options(std::uint64_t seed, int sm, tests::RandomSource& draw) {
    tests::RandomKernelOptions options;
    options.sm = sm;
    options.statements = 2 + static_cast<int>(seed % 8);
    options.depth = 1 + static_cast<int>(draw.whole(0, 2));
    options.max_iterations = 4;
    options.divergence = true;
    options.clock_reads = false;
    options.further_facts = draw.whole(0, 3) == 0;
    options.calls = draw.whole(0, 3) == 0;
    options.tables = draw.whole(0, 3) == 0;
    options.barriers = draw.whole(0, 3) == 0;
    options.breaks = draw.whole(0, 1) == 0;
    options.loop_exits_in_branches = sm >= 70 && draw.whole(0, 2) == 0;
    return options;
}

DivergentCode random_code(std::uint64_t seed, const tests::DescribedMachine& described,
                          tests::RandomSource& draw) {
    if (described.sm == 20) { // No control fields: kernels of another kind in its place.
        tests::LoopExitKernel kernel = tests::loop_exit_kernel(seed);
        kernel.facts.kernel = "k";
        return {std::move(kernel.text), std::move(kernel.facts),
                tests::machine_of_loop_exit_kernels().value()};
    }
    tests::RandomKernel kernel =
        tests::random_kernel(seed, random_options(seed, described.sm, draw));
    return {std::move(kernel.text), std::move(kernel.facts), described.architecture};
}

certification::BundleInputs draw_case(std::uint64_t seed,
                                      const tests::DescribedMachine& described) {
    tests::RandomSource draw{seed};
    DivergentCode code = random_code(seed, described, draw);
    tests::set(code.machine.schedulers, "count", draw.whole(1, 2));
    tests::set(code.machine.schedulers, "issue-slot", draw.whole(1, 2));
    // Whichever gap is the longer one.
    if (draw.whole(0, 3) != 0)
        for (const char* gap : {"branch-taken", "branch-not-taken"})
            tests::set(code.machine.control_flow, gap, draw.whole(1, 40));
    code.facts.program_digest = assembly::digest_of(code.text);
    tests::state_uniform_elsewhere(code.facts, code.text);
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    certification::KernelInput& input = inputs.kernels.emplace_back();
    input.listing = code.text;
    input.kernel = code.facts.kernel;
    input.flow_facts = models::write_flow_facts(code.facts);
    input.architecture = models::write_architecture(code.machine);
    input.launch = models::to_string(models::Launch{draw.whole(1, 3), 32 * draw.whole(1, 4)});
    input.policy = "srr";
    input.multiprocessors = 1;
    return inputs;
}

/// Why a simulated run is outside of the bounds; empty: none is.
std::string run_outside(const certification::LoadedInput& input,
                        const models::Bounds<models::Cycles>& bounds, std::uint64_t seed,
                        std::uint64_t& runs) {
    const auto machine = harness::simulator::Machine::prepare(
        input.architecture, {input.function, &input.graph, &input.facts, input.launch},
        input.policy, input.multiprocessors);
    if (!machine) return {}; // Made-up facts may contradict each other.
    for (std::uint64_t run = 0; run < 12; ++run) {
        const auto draw = run % 3 == 0   ? harness::Draw::Uniform
                          : run % 3 == 1 ? harness::Draw::Extremes
                                         : harness::Draw::AllHigh;
        const auto seen = machine.value()->run({seed * 31 + run, draw, {}}, [](const auto&) {});
        if (!seen) continue;
        ++runs;
        if (!bounds.contains(seen.value().execution_time))
            return "a run takes " + std::to_string(seen.value().execution_time.count()) +
                   " cycles, not " + std::to_string(bounds.lower().count()) + " to " +
                   std::to_string(bounds.upper().count());
    }
    return {};
}

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    const certification::BundleInputs inputs = draw_case(seed, described);
    const certification::KernelInput& input = inputs.kernels.front();
    Verdict verdict;
    const auto fail = [&](const std::string& text) {
        verdict.failure = text + "\nseed " + std::to_string(seed) + ", " + input.launch + "\n" +
                          input.listing + input.flow_facts.value_or("");
        return verdict;
    };
    const auto loaded = certification::load(input, "K1");
    if (!loaded || !models::has_divergent_branch(*loaded.value()->function, loaded.value()->facts))
        return verdict;
    const auto analysis = analyzer::analyze(certification::request_of(*loaded.value(), 1));
    if (!analysis) return verdict; // Divergence that is not bounded.
    ++verdict.counts["bounded"];
    const auto bounds = analysis.value().execution_time.bounds();
    const auto outside = run_outside(*loaded.value(), bounds, seed, verdict.counts["runs"]);
    if (!outside.empty()) return fail(outside);
    const auto bundle = certification::build_bundle(inputs);
    if (!bundle) {
        // The check follows fewer forms of divergence.
        if (bundle.error().what.find("would refuse its control flow") == std::string::npos)
            return fail(to_string(bundle.error()));
        ++verdict.counts["not followed"];
        return verdict;
    }
    for (const auto side : {analyzer::Side::Upper, analyzer::Side::Lower}) {
        const std::int64_t claimed =
            bundle.value().reports.front().claim("execution-time", side)->value;
        const auto bound = side == analyzer::Side::Upper ? bounds.upper() : bounds.lower();
        if (claimed != bound.count())
            return fail("claimed " + std::to_string(claimed) + ", bounded " +
                        std::to_string(bound.count()));
    }
    const auto evidence = check::read_evidence(tests::plain(bundle.value().files));
    const auto structure = check::check_structure(evidence);
    if (structure.verdict != check::Verdict::Holds) return fail(structure.detail);
    if (!evidence.kernels.front()->serialized.empty()) ++verdict.counts["serialized"];
    if (input.launch.find("x32") == std::string::npos) ++verdict.counts["several warps"];
    return verdict;
}

TEST(EvidenceProperty, OfDivergentLanesInStrictTurnsHasTheGapsOfTheAnalysis) {
    auto [cases, counts] = tests::run_counted_campaign(check_case, 200);
    EXPECT_GT(counts["bounded"] * 2, cases);
    EXPECT_GT(counts["serialized"] * 5, cases * 2);
    EXPECT_GT(counts["several warps"] * 4, cases);
    EXPECT_GT(counts["runs"], cases * 4);
    EXPECT_LT(counts["not followed"] * 10, cases);
}

} // namespace
} // namespace warpbound

/// \file
/// Bundles of random launches whose lanes may diverge by the code, and whose facts often leave them
/// one path: claims are the bounds of the analysis, the check finds them again, and simulated runs
/// are inside.

#include "assembly/support/source_text.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/property/evidence_inputs.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/single_schedule.hpp"
#include "tests/support/stated_uniformity.hpp"
#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <variant>

namespace warpbound {
namespace {

namespace check = certification::verify;

constexpr std::array policies{"srr",
                              "srr",
                              "srr",
                              "variable-rate:fast=0,every=2",
                              "variable-rate:fast=1,every=3",
                              "variable-rate:fast=2,every=2",
                              "variable-rate:fast=0,every=5",
                              "lrr",
                              "unknown",
                              "two-level:active=1"};

using Verdict = tests::CountedVerdict;

/// Lanes may diverge at most branches; of some only one edge is left.
void let_lanes_diverge(tests::RandomKernel& kernel, tests::RandomSource& draw) {
    const auto code = tests::read(kernel);
    const auto& text = code.value()->function->instructions;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const assembly::Instruction& at = text[i];
        if (at.control_flow != assembly::ControlFlow::Branch || !assembly::is_guarded(at)) continue;
        if (!kernel.facts.is_divergent(at.address) && draw.whole(0, 3) != 0)
            kernel.facts.divergents.push_back({at.address, {}});
        const auto* target = std::get_if<assembly::TargetOperand>(&at.operands.front());
        const bool is_forward = target != nullptr && target->address.value_or(0) > at.address;
        if (!is_forward || draw.whole(0, 3) == 0) continue;
        const std::int64_t never = draw.whole(0, 1) == 0 ? *target->address : text[i + 1].address;
        if (!kernel.facts.is_never(never)) kernel.facts.nevers.push_back({never, {}});
    }
}

tests::RandomKernel random_code(std::uint64_t seed, int sm, bool cached,
                                tests::RandomSource& draw) {
    tests::RandomKernelOptions options = tests::options_of_one_path(seed, sm);
    options.depth = static_cast<int>(draw.whole(0, 2));
    options.memory = cached || seed % 4 == 0;
    options.divergence = draw.whole(0, 3) == 0;
    options.barriers = draw.whole(0, 7) == 0;
    options.predicates = draw.whole(0, 5) == 0;
    tests::RandomKernel kernel = tests::random_kernel(seed, options);
    tests::leave_one_path(kernel);
    let_lanes_diverge(kernel, draw);
    kernel.facts.program_digest = assembly::digest_of(kernel.text);
    return kernel;
}

models::Architecture random_machine(models::Architecture machine, tests::RandomSource& draw) {
    if (draw.whole(0, 2) != 0) tests::draw_ends(machine, draw);
    tests::draw_schedulers(machine, draw);
    tests::draw_shared_units(machine, draw, draw.whole(0, 2) == 0);
    return machine;
}

struct Drawn {
    certification::BundleInputs inputs;
    std::string kind; ///< How the warps are scheduled, and whether accesses go through caches.
};

Drawn draw_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource draw{seed};
    Drawn drawn;
    models::Architecture machine = random_machine(described.architecture, draw);
    const std::int64_t multiprocessors = draw.whole(1, 2);
    tests::set(machine.geometry, "multiprocessors", multiprocessors);
    const std::string policy = policies[static_cast<std::size_t>(draw.whole(0, 9))];
    const bool cached = draw.whole(0, 2) == 0;
    tests::RandomKernel kernel = random_code(seed, described.sm, cached, draw);
    std::mt19937_64 random{seed};
    if (cached) tests::lead_through_caches(machine, kernel.facts, random);
    tests::state_uniform_elsewhere(kernel.facts, kernel.text);
    drawn.inputs.tool_version = "1";
    certification::KernelInput& input = drawn.inputs.kernels.emplace_back();
    input.listing = kernel.text;
    input.kernel = kernel.facts.kernel;
    input.flow_facts = models::write_flow_facts(kernel.facts);
    input.architecture = models::write_architecture(machine);
    const std::int64_t blocks = draw.whole(1, 1 + multiprocessors);
    input.launch = models::to_string(models::Launch{blocks, 32 * draw.whole(1, 4)});
    input.policy = policy;
    input.multiprocessors = multiprocessors;
    drawn.kind = (policy == "srr"                       ? "in turns"
                  : policy.starts_with("variable-rate") ? "in slots"
                                                        : "in any order") +
                 std::string{cached ? " through caches" : ""};
    return drawn;
}

/// Why a simulated run is outside of the bounds; empty: none is.
std::string run_outside(const certification::LoadedInput& input,
                        const models::Bounds<models::Cycles>& bounds, std::uint64_t seed,
                        std::uint64_t& runs) {
    const auto machine = harness::simulator::Machine::prepare(
        input.architecture, {input.function, &input.graph, &input.facts, input.launch},
        input.policy, input.multiprocessors);
    if (!machine) return {}; // Made-up facts may contradict each other.
    for (const auto draw : {harness::Draw::AllHigh, harness::Draw::Extremes, harness::Draw::Uniform,
                            harness::Draw::AllLow}) {
        const auto seen = machine.value()->run({seed * 31 + runs, draw, {}}, [](const auto&) {});
        if (!seen) continue;
        ++runs;
        const models::Cycles time = seen.value().execution_time;
        if (time < bounds.lower() || bounds.upper() < time)
            return "a run takes " + std::to_string(time.count()) + " cycles, not " +
                   std::to_string(bounds.lower().count()) + " to " +
                   std::to_string(bounds.upper().count());
    }
    return {};
}

/// Why a claim is not the bound of the analysis; empty: both are.
std::string other_claim(const certification::Report& report, const analyzer::Envelope& bounds,
                        const std::string& kind, Verdict& verdict) {
    for (const auto side : {analyzer::Side::Upper, analyzer::Side::Lower}) {
        const auto* claim = report.claim("execution-time", side);
        const auto& bound = side == analyzer::Side::Upper ? bounds.upper : bounds.lower;
        if (claim->value != bound.proved.count())
            return "claimed " + std::to_string(claim->value) + ", bounded " +
                   std::to_string(bound.proved.count());
        if (!bound.terms.empty() && bound.terms.front().text.starts_with("all warps"))
            ++verdict.counts[kind + (side == analyzer::Side::Upper ? ", schedules from above"
                                                                   : ", schedules from below")];
    }
    return {};
}

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    const Drawn drawn = draw_case(seed, described);
    const certification::KernelInput& input = drawn.inputs.kernels.front();
    Verdict verdict;
    const auto fail = [&](const std::string& text) {
        verdict.failure = text + "\nseed " + std::to_string(seed) + ", " + input.launch + " on " +
                          std::to_string(input.multiprocessors) + " multiprocessors, " +
                          input.policy + "\n" + input.listing + input.flow_facts.value_or("");
        return verdict;
    };
    const auto loaded = certification::load(input, "K1");
    if (!loaded || !models::has_divergent_branch(*loaded.value()->function, loaded.value()->facts))
        return verdict;
    const auto analysis = analyzer::analyze(certification::request_of(*loaded.value(), 1));
    if (!analysis) return verdict; // Paths or barriers that are not bounded.
    ++verdict.counts[drawn.kind];
    const analyzer::Envelope& bounds = analysis.value().execution_time;
    const auto bundle = certification::build_bundle(drawn.inputs);
    if (!bundle) {
        // The check follows fewer forms of divergence.
        if (bundle.error().what.find("would refuse its control flow") == std::string::npos)
            return fail(to_string(bundle.error()));
        return verdict;
    }
    const auto other = other_claim(bundle.value().reports.front(), bounds, drawn.kind, verdict);
    if (!other.empty()) return fail(other);
    const auto evidence = check::read_evidence(tests::plain(bundle.value().files));
    const bool is_serialized = !evidence.kernels.front()->serialized.empty();
    const auto structure = check::check_structure(evidence);
    if (structure.verdict != check::Verdict::Holds) return fail(structure.detail);
    if (!is_serialized) ++verdict.counts["one path"];
    const auto outside =
        run_outside(*loaded.value(), bounds.bounds(), seed, verdict.counts["runs"]);
    return outside.empty() ? verdict : fail(outside);
}

TEST(EvidenceProperty, OfLanesThatMayDivergeClaimsTheBoundsOfTheAnalysis) {
    auto [cases, counts] = tests::run_counted_campaign(check_case, 300);
    EXPECT_GT(counts["one path"] * 16, cases);
    EXPECT_GT(counts["runs"] * 2, cases);
    for (const char* kind : {"in turns", "in turns through caches", "in slots",
                             "in slots through caches", "in any order"})
        EXPECT_GT(counts[kind] * 60, cases) << kind;
    for (const char* kind : {"in turns", "in slots"})
        for (const char* side : {", schedules from above", ", schedules from below"})
            EXPECT_GT(counts[std::string{kind} + side] * 200, cases) << kind << side;
    EXPECT_GT(counts["in turns through caches, schedules from below"] * 200, cases);
}

} // namespace
} // namespace warpbound

/// \file
/// Bundles of random launches under time division whose schedules are all stepped: both claims are
/// the bounds of the analysis, and the check steps the same times again.

#include "assembly/support/source_text.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/single_schedule.hpp"
#include "tests/support/stated_uniformity.hpp"
#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace warpbound {
namespace {

namespace check = certification::verify;

constexpr std::array policies{"variable-rate:fast=0,every=2", "variable-rate:fast=1,every=3",
                              "variable-rate:fast=2,every=2", "variable-rate:fast=0,every=5"};

struct Verdict {
    std::string failure;
    bool stepped = false;  ///< Each side's claim is a time of schedules.
    bool explored = false; ///< Over all orders of issue within a cycle.
    bool varied = false;   ///< They differ.
    bool stored = false;
    bool had_intervals = false; ///< In the description.
    bool left_slots_empty = false;
};

/// `contending`: schedulers share ports and the write buffer.
models::Architecture random_machine(models::Architecture machine, tests::RandomSource& draw,
                                    bool intervals, bool contending) {
    if (!intervals) tests::draw_ends(machine, draw);
    tests::draw_schedulers(machine, draw);
    tests::draw_shared_units(machine, draw, contending);
    return machine;
}

/// One path.
tests::RandomKernel random_code(std::uint64_t seed, int sm, bool contending) {
    tests::RandomKernelOptions options = tests::options_of_one_path(seed, sm);
    options.memory = contending || seed % 4 == 0;
    tests::RandomKernel kernel = tests::random_kernel(seed, options);
    tests::leave_one_path(kernel);
    kernel.facts.program_digest = assembly::digest_of(kernel.text);
    tests::state_uniform_elsewhere(kernel.facts, kernel.text);
    return kernel;
}

bool is_stepped(const analyzer::SideResult& side) {
    return side.terms.size() == 1 && side.terms.front().text.starts_with("all warps, for every");
}

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource draw{seed};
    Verdict verdict;
    const bool contending = draw.whole(0, 1) == 0;
    verdict.had_intervals = !contending && draw.whole(0, 2) == 0;
    models::Architecture machine =
        random_machine(described.architecture, draw, verdict.had_intervals, contending);
    const std::int64_t multiprocessors = draw.whole(1, 2);
    tests::set(machine.geometry, "multiprocessors", multiprocessors);
    const tests::RandomKernel kernel = random_code(seed, described.sm, contending);
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    certification::KernelInput& input = inputs.kernels.emplace_back();
    input.listing = kernel.text;
    input.kernel = kernel.facts.kernel;
    input.flow_facts = models::write_flow_facts(kernel.facts);
    input.architecture = models::write_architecture(machine);
    const models::Launch launch{draw.whole(1, 1 + multiprocessors), 32 * draw.whole(1, 4)};
    input.launch = models::to_string(launch);
    input.policy = policies[static_cast<std::size_t>(draw.whole(0, 3))];
    input.multiprocessors = multiprocessors;
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + machine.name + ", " +
                          std::to_string(multiprocessors) + " multiprocessors, " + input.launch +
                          ", " + input.policy + "\n" + kernel.text;
        return verdict;
    };
    const auto loaded = certification::load(input, "K1");
    if (!loaded) return verdict; // Made-up facts may contradict the code.
    const auto analysis = analyzer::analyze(certification::request_of(*loaded.value(), 1));
    if (!analysis) return fail(to_string(analysis.error()));
    const analyzer::Envelope& bounds = analysis.value().execution_time;
    if (!is_stepped(bounds.upper)) return verdict;
    const auto bundle = certification::build_bundle(inputs);
    if (!bundle) return fail(to_string(bundle.error()));
    const certification::Report& report = bundle.value().reports.front();
    for (const auto side : {analyzer::Side::Upper, analyzer::Side::Lower}) {
        const auto* claim = report.claim("execution-time", side);
        const auto& bound = side == analyzer::Side::Upper ? bounds.upper : bounds.lower;
        if (claim->value != bound.proved.count())
            return fail("claimed " + std::to_string(claim->value) + ", not " +
                        std::to_string(bound.proved.count()));
    }
    const auto structure =
        check::check_structure(check::read_evidence(tests::plain(bundle.value().files)));
    if (structure.verdict != check::Verdict::Holds) return fail(structure.detail);
    verdict.stepped = true;
    verdict.explored = bounds.upper.terms.front().text.find("in every order") != std::string::npos;
    verdict.stored = verdict.explored && kernel.text.find("ST") != std::string::npos;
    verdict.varied = bounds.lower.proved < bounds.upper.proved;
    verdict.left_slots_empty = multiprocessors > 1 && launch.blocks > 1;
    return verdict;
}

TEST(EvidenceProperty, OfSchedulesInTimeSlotsClaimsTheBoundsOfTheAnalysis) {
    std::uint64_t stepped = 0;
    std::uint64_t explored = 0;
    std::uint64_t stored = 0;
    std::uint64_t varied = 0;
    std::uint64_t with_intervals = 0;
    std::uint64_t spread = 0;
    const std::uint64_t cases = tests::run_campaign(
        check_case,
        [&](const Verdict& verdict) {
            if (!verdict.stepped) return;
            ++stepped;
            if (verdict.explored) ++explored;
            if (verdict.stored) ++stored;
            if (verdict.varied) ++varied;
            if (verdict.had_intervals) ++with_intervals;
            if (verdict.left_slots_empty) ++spread;
        },
        200);
    RecordProperty("stepped", std::to_string(stepped));
    RecordProperty("explored", std::to_string(explored));
    RecordProperty("stored", std::to_string(stored));
    RecordProperty("varied", std::to_string(varied));
    RecordProperty("with_intervals", std::to_string(with_intervals));
    RecordProperty("spread", std::to_string(spread));
    EXPECT_GT(stepped * 3, cases) << "hardly a launch was stepped";
    EXPECT_GT(explored * 16, cases) << "hardly an order was open";
    EXPECT_GT(stored * 50, cases) << "hardly a launch stored";
    EXPECT_GT(varied * 20, cases) << "hardly a start mattered";
    EXPECT_GT(with_intervals * 40, cases) << "hardly an issue followed from intervals";
    EXPECT_GT(spread * 20, cases) << "hardly a launch was on several multiprocessors";
}

} // namespace
} // namespace warpbound

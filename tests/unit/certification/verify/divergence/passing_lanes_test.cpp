/// \file
/// Bundles of kernels whose lanes pass a point at the next instruction: `verify` follows both
/// paths.

#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/unit/certification/divergent_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using verify::Verdict;

/// Of Fermi. Lanes that the fourth instruction transfers wait at the next one; the others pass it.
KernelInput passing_input(const std::string& arrival) {
    KernelInput input = input_of("  EXIT ?trans5;\n", "1x32");
    input.listing = "!Arch sm_20\n!Kernel diverging\n  " + arrival +
                    "\nN:\n  FADD R1, R1, R1;\n  FADD R1, R1, R1;\n  EXIT;\n!EndKernel\n";
    models::FlowFacts facts;
    facts.kernel = input.kernel;
    facts.program_digest = assembly::digest_of(input.listing);
    facts.divergents.push_back({.at = 8, .from = {}});
    tests::state_uniform_elsewhere(facts, input.listing);
    input.flow_facts = models::write_flow_facts(facts);
    input.architecture =
        models::write_architecture(models::load_architecture("fermi-gtx470").value());
    return input;
}

TEST(DivergenceEvidence, OfLanesThatPassAPointAtTheNextInstructionHoldsAndNeedsBothPaths) {
    for (const char* arrival : {"SSY N;\n  @P0 NOP.S;", "PBK N;\n  @P0 BRK;"}) {
        KernelInput input = passing_input(arrival);
        const auto loaded = load(input, "K1");
        const auto analysis = analyzer::analyze(request_of(*loaded.value(), 1)).value();
        tests::add_runs(input, 20, harness::Draw::Adversarial);
        const Bundle bundle = bundle_of(input).value();
        const auto bounds = analysis.execution_time.bounds();
        const auto& report = bundle.reports.front();
        EXPECT_EQ(report.claim("execution-time", analyzer::Side::Upper)->value,
                  bounds.upper().count());
        EXPECT_EQ(report.claim("execution-time", analyzer::Side::Lower)->value,
                  bounds.lower().count());
        const auto files = tests::plain(bundle.files);
        const auto steps = verify::verify(files, options());
        EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
        const verify::Evidence evidence = verify::read_evidence(files);
        const auto& nodes = evidence.kernels.front()->serialized;
        std::size_t removed = 0;
        for (std::size_t node = 0; node < nodes.size(); ++node)
            for (const std::size_t to : nodes[node].successors) {
                const verify::Evidence changed = verify::read_evidence(files);
                std::erase(changed.kernels.front()->serialized[node].successors, to);
                EXPECT_EQ(verify::check_structure(changed).verdict, Verdict::Failed)
                    << node << " to " << to;
                ++removed;
            }
        EXPECT_GE(removed, 3U) << "past the point, at once behind it, and behind it later";
    }
}

} // namespace
} // namespace warpbound::certification

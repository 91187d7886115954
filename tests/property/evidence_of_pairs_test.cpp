/// \file
/// Bundles of kernels whose branch conditions exclude each other (docs/theory, S19b, S19c).

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/execution/execution.hpp"
#include "certification/verify/structure.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/correlated_branches.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/evidence.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace warpbound::tests {
namespace {

/// Loops run up to 3 times.
std::string facts_of_loops(const std::string& listing) {
    const auto program = assembly::read_program({"listing", listing}).value();
    const auto graph = assembly::build_control_flow_graph(program.functions.front()).value();
    models::FlowFacts facts;
    facts.kernel = "k";
    facts.program_digest = program.digest;
    for (const auto& loop : graph.loops)
        facts.loops.push_back({graph.blocks[loop.header].address, 1, 3, {}});
    return models::write_flow_facts(facts);
}

/// Claims are what `bound` says of the same launch, and `verify` finds nothing wrong.
TEST(EvidenceOfInfeasiblePaths, ClaimsWhatBranchesExclude) {
    namespace check = certification::verify;
    std::size_t pairs = 0;
    std::size_t tighter = 0;
    std::size_t executed = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 120));
    for_seeds(cases, [&](RandomSource& random_source) {
        certification::KernelInput input;
        input.kernel = "k";
        input.listing = CorrelatedBranches{random_source}.write();
        input.architecture =
            models::write_architecture(models::load_architecture("turing-t4").value());
        input.launch = random_source.whole(0, 1) == 0 ? "1x32" : "3x96";
        input.policy = every_policy[static_cast<std::size_t>(
            random_source.whole(0, static_cast<std::int64_t>(every_policy.size()) - 1))];
        input.flow_facts = facts_of_loops(input.listing);
        const auto loaded = certification::load(input, "K1");
        ASSERT_TRUE(loaded) << to_string(loaded.error()) << input.listing;
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(input);
        const auto bundle = certification::build_bundle(inputs);
        if (!bundle) return; // E.g. a policy that bounds one warp only.
        const auto& facts = loaded.value()->facts;
        pairs += facts.exclusives.size() + facts.constraints.size();

        const auto without = certification::load(input, "K1", true);
        analyzer::Request request = certification::request_of(*without.value(), 1);
        request.follow_guards = true;
        const auto unpaired = analyzer::analyze(request);
        request.follow_branches = true;
        const auto analysis = analyzer::analyze(request);
        ASSERT_TRUE(analysis) << to_string(analysis.error()) << input.listing;
        const auto bounds = analysis.value().execution_time.bounds();
        if (unpaired && (unpaired.value().execution_time.bounds().upper() > bounds.upper() ||
                         unpaired.value().execution_time.bounds().lower() < bounds.lower()))
            ++tighter;
        const check::Evidence evidence = check::read_evidence(plain(bundle.value().files));
        for (const auto& claim : evidence.kernels.front()->claims) {
            ASSERT_EQ(claim.value, claim.upper ? bounds.upper().count() : bounds.lower().count())
                << claim.id << input.policy << input.launch << input.listing;
        }
        const auto structure = check::check_structure(evidence);
        ASSERT_EQ(structure.verdict, check::Verdict::Holds) << structure.detail << input.listing;
        const auto of_threads = check::check_execution(evidence);
        ASSERT_NE(of_threads.verdict, check::Verdict::Failed) << of_threads.detail << input.listing;
        executed += of_threads.verdict == check::Verdict::Holds ? 1U : 0U;
    });
    EXPECT_GT(pairs, static_cast<std::size_t>(cases));
    EXPECT_GT(executed, static_cast<std::size_t>(cases) / 3);
    EXPECT_GT(tighter, static_cast<std::size_t>(cases) / 20);
    RecordProperty("tighter", static_cast<int>(tighter));
    RecordProperty("pairs", static_cast<int>(pairs));
    RecordProperty("executed", static_cast<int>(executed));
}

} // namespace
} // namespace warpbound::tests

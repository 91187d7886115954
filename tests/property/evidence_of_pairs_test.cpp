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

#include <fmt/format.h>
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

/// Branches one after another on few words of the launch.
std::string chain_of_branches(RandomSource& random_source, std::int64_t branches) {
    static const char* const conditions[] = {"LT", "GE", "EQ", "NE"};
    const std::int64_t words = random_source.whole(1, 3);
    std::string text = "!Arch sm_75\n!Kernel k\n";
    for (std::int64_t i = 0; i < branches; ++i) {
        text += fmt::format("MOV R1, c[0x0][0x{:x}] ?trans5;\n",
                            0x160 + 4 * random_source.whole(0, words - 1));
        text += fmt::format("ISETP.{}.AND P0, PT, R1, 0x{:x}, PT ?trans5;\n",
                            conditions[random_source.whole(0, 3)],
                            random_source.whole(0, 3 * branches));
        text += fmt::format("@{}P0 BRA X{} ?trans5;\n", i % 2 == 0 ? "" : "!", i);
        for (std::int64_t more = random_source.whole(1, 3); more > 0; --more)
            text += "FADD R2, R2, R2 ?trans4;\n";
        text += fmt::format("X{}: NOP ?trans1;\n", i);
    }
    return text + "EXIT ?trans5;\n!EndKernel\n";
}

certification::KernelInput input_of(const std::string& listing) {
    certification::KernelInput input;
    input.kernel = "k";
    input.listing = listing;
    input.architecture = models::write_architecture(models::load_architecture("turing-t4").value());
    return input;
}

struct Counts {
    std::size_t pairs = 0;
    std::size_t tighter = 0; ///< Bounds that are tighter than without pairs.
    std::size_t executed = 0;
};

/// Claims are what `bound` says of the same launch, and `verify` finds nothing wrong.
void expect_claims_of_bounds(const certification::KernelInput& input, Counts& counts) {
    namespace check = certification::verify;
    const auto loaded = certification::load(input, "K1");
    ASSERT_TRUE(loaded) << to_string(loaded.error()) << input.listing;
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(input);
    const auto bundle = certification::build_bundle(inputs);
    if (!bundle) return; // E.g. a policy that bounds one warp only.
    const auto& facts = loaded.value()->facts;
    counts.pairs += facts.exclusives.size() + facts.constraints.size();

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
        ++counts.tighter;
    const check::Evidence evidence = check::read_evidence(plain(bundle.value().files));
    for (const auto& claim : evidence.kernels.front()->claims) {
        ASSERT_EQ(claim.value, claim.upper ? bounds.upper().count() : bounds.lower().count())
            << claim.id << input.policy << input.launch << input.listing;
    }
    const auto structure = check::check_structure(evidence);
    ASSERT_EQ(structure.verdict, check::Verdict::Holds) << structure.detail << input.listing;
    const auto of_threads = check::check_execution(evidence);
    ASSERT_NE(of_threads.verdict, check::Verdict::Failed) << of_threads.detail << input.listing;
    counts.executed += of_threads.verdict == check::Verdict::Holds ? 1U : 0U;
}

TEST(EvidenceOfInfeasiblePaths, ClaimsWhatBranchesExclude) {
    Counts counts;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 120));
    for_seeds(cases, [&](RandomSource& random_source) {
        certification::KernelInput input = input_of(CorrelatedBranches{random_source}.write());
        input.launch = random_source.whole(0, 1) == 0 ? "1x32" : "3x96";
        input.policy = every_policy[static_cast<std::size_t>(
            random_source.whole(0, static_cast<std::int64_t>(every_policy.size()) - 1))];
        input.flow_facts = facts_of_loops(input.listing);
        expect_claims_of_bounds(input, counts);
    });
    EXPECT_GT(counts.pairs, static_cast<std::size_t>(cases));
    EXPECT_GT(counts.executed, static_cast<std::size_t>(cases) / 3);
    EXPECT_GT(counts.tighter, static_cast<std::size_t>(cases) / 20);
    RecordProperty("tighter", static_cast<int>(counts.tighter));
    RecordProperty("pairs", static_cast<int>(counts.pairs));
    RecordProperty("executed", static_cast<int>(counts.executed));
}

/// Of 400 to 2,000 blocks, of which some have more pairs than states can remember.
TEST(EvidenceOfInfeasiblePaths, ClaimsWhatBranchesOfLargeKernelsExclude) {
    Counts counts;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 120)) / 60;
    for_seeds(cases, [&](RandomSource& random_source) {
        certification::KernelInput input =
            input_of(chain_of_branches(random_source, random_source.whole(200, 1000)));
        input.launch = random_source.whole(0, 1) == 0 ? "1x32" : "3x96";
        input.policy = "unknown";
        expect_claims_of_bounds(input, counts);
    });
    EXPECT_GE(counts.pairs, 200 * static_cast<std::size_t>(cases));
    EXPECT_EQ(counts.tighter, static_cast<std::size_t>(cases));
    RecordProperty("pairs", static_cast<int>(counts.pairs));
}

} // namespace
} // namespace warpbound::tests

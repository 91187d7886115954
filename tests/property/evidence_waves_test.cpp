/// \file
/// Launches of many waves: bundles claim what is analyzed, also along a chain of blocks
/// (docs/theory, S74), and sums with planted errors are refused.

#include "analyzer/analyze.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/solver/farkas.hpp"
#include "certification/verify/solver/script.hpp"
#include "certification/verify/structure.hpp"
#include "tests/property/evidence_inputs.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

namespace check = certification::verify;
using tests::Drawn;

/// A bundle of a launch of many waves, and the upper bound of the same launch without certificates.
struct WavesCase {
    certification::Bundle bundle;
    analyzer::SideResult upper;

    [[nodiscard]] bool is_along_chain() const {
        return !upper.terms.empty() &&
               upper.terms.front().text.find("chain of blocks") != std::string::npos;
    }
    [[nodiscard]] check::Evidence evidence() const {
        return check::read_evidence(tests::plain(bundle.files));
    }
};

/// None where made-up facts contradict each other.
std::optional<WavesCase> waves_case(std::uint64_t seed) {
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(tests::input_of(seed, Drawn::ManyWaves));
    auto bundle = certification::build_bundle(inputs);
    if (!bundle) return std::nullopt;
    const auto loaded = certification::load(inputs.kernels.front(), "K1");
    const auto analysis = analyzer::analyze(certification::request_of(*loaded.value(), 1));
    return WavesCase{std::move(bundle).value(), analysis.value().execution_time.upper};
}

check::ClaimRow& upper_claim(check::Evidence& evidence) {
    return *std::ranges::find_if(evidence.kernels.front()->claims, [](const auto& claim) {
        return claim.upper && claim.quantity == "execution-time";
    });
}

check::Certificate* certificate_of_beginnings(check::Evidence& evidence) {
    auto& certificates = evidence.kernels.front()->certificates;
    const auto found = std::ranges::find_if(
        certificates, [](const auto& certificate) { return certificate.is_of_beginnings(); });
    return found == certificates.end() ? nullptr : &*found;
}

bool is_shown_by_addition(const check::KernelCase& kernel, const check::Certificate& certificate) {
    const check::SideFlows flows = check::check_flows(kernel);
    const check::ControlFlow& flow = flows.of(certificate);
    return check::is_refuted_by(check::script_of(kernel, flow, certificate),
                                check::distance_multipliers(flow, certificate));
}

TEST(EvidenceOfManyWaves, ClaimsWhatIsAnalyzed) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 100);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    std::uint64_t bundles = 0;
    std::uint64_t along_chain = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const auto waves = waves_case(seed);
        if (!waves) continue;
        ++bundles;
        check::Evidence evidence = waves->evidence();
        const auto structure = check::check_structure(evidence);
        EXPECT_EQ(structure.verdict, check::Verdict::Holds)
            << structure.detail << ", seed " << seed;
        const std::int64_t claimed = upper_claim(evidence).value;
        EXPECT_GE(claimed, waves->upper.proved.count()) << "seed " << seed;
        check::Certificate* const beginnings = certificate_of_beginnings(evidence);
        // Of launches whose schedules are explored it may be there, too.
        EXPECT_TRUE(beginnings != nullptr || !waves->is_along_chain()) << "seed " << seed;
        if (beginnings == nullptr) continue;
        if (waves->is_along_chain()) {
            ++along_chain;
            EXPECT_EQ(claimed, waves->upper.proved.count()) << "seed " << seed;
        }
        const check::KernelCase& kernel = *evidence.kernels.front();
        EXPECT_TRUE(is_shown_by_addition(kernel, *beginnings)) << "seed " << seed;
        --beginnings->bound;
        EXPECT_FALSE(is_shown_by_addition(kernel, *beginnings)) << "seed " << seed;
    }
    RecordProperty("bundles", std::to_string(bundles));
    RecordProperty("along_a_chain", std::to_string(along_chain));
    EXPECT_GT(bundles * 4, cases * 3 - 4);
    EXPECT_GT(along_chain * 5, bundles) << "hardly a bound was that of a chain of blocks";
}

// Whatever is left out or lowered: no other sum is as low.
TEST(EvidenceOfManyWaves, AlongAChainNeedsEachTermInFull) {
    int planted = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto waves = waves_case(seed);
        if (!waves || !waves->is_along_chain()) continue;
        check::Evidence evidence = waves->evidence();
        check::ClaimRow& claim = upper_claim(evidence);
        const check::ClaimRow whole = claim;
        for (std::size_t i = 0; i < whole.terms.size(); ++i) {
            const check::Term& term = whole.terms[i];
            if (term.count * term.cycles == 0) continue;
            for (const std::int64_t removed : {std::int64_t{1}, term.count}) {
                claim = whole;
                claim.terms[i].count -= removed;
                claim.value -= removed * term.cycles;
                EXPECT_EQ(check::check_structure(evidence).verdict, check::Verdict::Failed)
                    << "seed " << seed << ", term " << i << " less " << removed;
                ++planted;
            }
        }
    }
    EXPECT_GT(planted, 50);
}

/// The verdict of the bundle after a change of what its kernel is about.
template <class Change> check::Verdict verdict_after(const WavesCase& waves, const Change& change) {
    check::Evidence evidence = waves.evidence();
    change(*evidence.kernels.front());
    return check::check_structure(evidence).verdict;
}

void set_value(models::ValueGroup& group, const char* name, std::int64_t number) {
    for (models::SourcedValue& value : group.values)
        if (value.name == name) value.interval = models::Interval{number, number, number};
}

TEST(EvidenceOfManyWaves, AlongAChainNeedsItsConditions) {
    int planted = 0;
    int with_lines = 0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        const auto waves = waves_case(seed);
        if (!waves || !waves->is_along_chain()) continue;
        ++planted;
        const auto is_refused = [&](const char* what, const auto& change) {
            EXPECT_NE(verdict_after(*waves, change), check::Verdict::Holds)
                << what << ", seed " << seed;
        };
        is_refused("no certificate", [](check::KernelCase& kernel) {
            std::erase_if(kernel.certificates,
                          [](const auto& certificate) { return certificate.is_of_beginnings(); });
        });
        is_refused("held back", [](check::KernelCase& kernel) {
            kernel.policy = models::read_policy("two-level:active=1").value();
        });
        is_refused("in turns", [](check::KernelCase& kernel) {
            kernel.policy = models::read_policy("srr").value();
        });
        is_refused("fewer block slots", [](check::KernelCase& kernel) {
            set_value(kernel.architecture.limits, "max-blocks", 1);
        });
        is_refused("one wave", [](check::KernelCase& kernel) { kernel.launch.blocks = 1; });
        const check::Evidence evidence = waves->evidence();
        if (!evidence.kernels.front()->architecture.has_instruction_caches()) continue;
        ++with_lines;
        is_refused("lines that are replaced", [](check::KernelCase& kernel) {
            set_value(kernel.architecture.fetch, "l0-sets", 1);
            set_value(kernel.architecture.fetch, "l0-ways", 1);
            set_value(kernel.architecture.fetch, "line", 8);
        });
    }
    RecordProperty("planted", planted);
    EXPECT_GT(planted, 10);
    EXPECT_GT(with_lines, 0);
}

// Without ends before completion, the paths are whole ones, whose stall may be less.
TEST(EvidenceOfManyWaves, AlongAChainNeedsEveryEndOfBeginnings) {
    int planted = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const auto waves = waves_case(seed);
        if (!waves || !waves->is_along_chain()) continue;
        check::Evidence evidence = waves->evidence();
        check::KernelCase& kernel = *evidence.kernels.front();
        check::Certificate& beginnings = *certificate_of_beginnings(evidence);
        const check::Certificate whole = beginnings;
        for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
            if (kernel.blocks[block].exits) continue;
            beginnings = whole;
            bool had_end = false;
            for (check::Certificate::Node& node : beginnings.nodes)
                if (node.block == block && std::exchange(node.end, std::nullopt)) had_end = true;
            if (!had_end) continue;
            const auto structure = check::check_structure(evidence);
            EXPECT_EQ(structure.verdict, check::Verdict::Failed) << "seed " << seed;
            EXPECT_NE(structure.detail.find("ends paths"), std::string::npos) << structure.detail;
            ++planted;
        }
    }
    EXPECT_GT(planted, 20);
}

} // namespace
} // namespace warpbound

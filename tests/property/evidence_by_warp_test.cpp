/// \file
/// Bundles of launches whose warps demand differently, by the indices of their threads
/// (docs/theory, S85): they claim what `bound` says, and whatever is left out is refused.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/guarded_kernel.hpp"
#include "tests/support/small_instruction_caches.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace warpbound::tests {
namespace {

namespace check = certification::verify;

/// A bundle, and the upper bound of the same launch by its code without certificates.
struct GuardedCase {
    std::string text;
    certification::Bundle bundle;
    std::int64_t bound = 0;

    [[nodiscard]] check::Evidence evidence() const {
        return check::read_evidence(plain(bundle.files));
    }
};

enum class Fetch { Perfect, BehindCaches };

models::Architecture machine_of(const GuardedKernel& kernel, RandomSource& random_source,
                                Fetch fetch) {
    models::Architecture machine = machine_of_guarded_kernel(random_source);
    if (fetch == Fetch::Perfect) return machine;
    const auto program = assembly::read_program({"random", kernel.text}).value();
    add_instruction_caches(
        machine, program.functions.front(),
        [&](std::int64_t most) { return random_source.whole(0, most - 1); }, false);
    return machine;
}

GuardedCase guarded_case(RandomSource& random_source, GuardedKernel::Branches branches,
                         Fetch fetch = Fetch::Perfect) {
    const GuardedKernel kernel{random_source, branches};
    const models::Architecture machine = machine_of(kernel, random_source, fetch);
    const auto policies = conserving_policies();
    const std::int64_t blocks = random_source.whole(1, 12);
    certification::KernelInput input;
    input.kernel = "k";
    input.listing = kernel.text;
    input.architecture = models::write_architecture(machine);
    input.launch = models::to_string(
        models::parse_launch(
            fmt::format("{0}x{1},shared-memory=2048,block={1},grid={0}", blocks, kernel.threads))
            .value());
    input.policy = policies[static_cast<std::size_t>(
        random_source.whole(0, static_cast<std::int64_t>(policies.size()) - 1))];
    input.multiprocessors = random_source.whole(1, 3);
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(input);
    auto bundle = certification::build_bundle(inputs);
    if (!bundle) throw std::runtime_error{to_string(bundle.error()) + "\n" + kernel.text};
    const auto loaded = certification::load(input, "K1");
    analyzer::Request request = certification::request_of(*loaded.value(), 1);
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    return {kernel.text, std::move(bundle).value(),
            analysis.value().execution_time.upper.proved.count()};
}

check::ClaimRow& upper_claim(check::Evidence& evidence) {
    return *std::ranges::find_if(evidence.kernels.front()->claims, [](const auto& claim) {
        return claim.upper && claim.quantity == "execution-time";
    });
}

struct Met {
    int by_warp = 0;
    int shown = 0; ///< Of all warps.
    int limits = 0;
    int planted = 0;
    int left = 0; ///< To re-analysis, of those.
};

bool shows_all_warps(const check::StepResult& structure, std::size_t warps) {
    return structure.detail.find(fmt::format("executions of {0} of {0} warps", warps)) !=
           std::string::npos;
}

/// Each term once less.
void leave_out_terms(check::Evidence& evidence, Met& met, const std::string& text) {
    check::ClaimRow& claim = upper_claim(evidence);
    const check::ClaimRow whole = claim;
    for (std::size_t i = 0; i < whole.terms.size(); ++i) {
        if (whole.terms[i].count * whole.terms[i].cycles == 0) continue;
        --claim.terms[i].count;
        claim.value -= claim.terms[i].cycles;
        EXPECT_EQ(check::check_structure(evidence).verdict, check::Verdict::Failed)
            << text << "term " << i;
        ++met.planted;
        claim = whole;
    }
}

/// One cycle less of a warp, and of each sum with it.
void lower_warps(check::Evidence& evidence, Met& met, const std::string& text) {
    check::ClaimRow& claim = upper_claim(evidence);
    const check::ClaimRow whole = claim;
    const auto sum_of = [](const check::ClaimRow& of, std::int64_t check::WarpRow::*part) {
        std::int64_t sum = 0;
        for (const check::WarpRow& warp : of.warps)
            sum += warp.*part;
        return sum;
    };
    const auto most = [](const check::ClaimRow& of) {
        return std::ranges::max_element(of.warps, {}, &check::WarpRow::ports)->ports;
    };
    for (std::size_t warp = 0; warp < whole.warps.size(); ++warp)
        for (const auto part : {&check::WarpRow::ports, &check::WarpRow::drain}) {
            if (whole.warps[warp].*part == 0) continue;
            --(claim.warps[warp].*part);
            for (check::Term& term : claim.terms) {
                if (!term.certificate.empty()) continue;
                const std::int64_t before = term.cycles;
                if (before == sum_of(whole, part))
                    --term.cycles;
                else if (part == &check::WarpRow::ports && before == most(whole))
                    term.cycles = most(claim);
                claim.value -= term.count * (before - term.cycles);
            }
            const auto structure = check::check_structure(evidence);
            const bool is_left = structure.verdict == check::Verdict::Holds &&
                                 !shows_all_warps(structure, whole.warps.size());
            if (is_left) ++met.left;
            EXPECT_TRUE(is_left || structure.verdict == check::Verdict::Failed)
                << text << "warp " << warp << ": " << structure.detail;
            ++met.planted;
            claim = whole;
        }
}

/// Each certificate of the sum one cycle less, with the terms that name it.
void lower_certificates(check::Evidence& evidence, Met& met, const std::string& text) {
    check::ClaimRow& claim = upper_claim(evidence);
    const check::ClaimRow whole = claim;
    for (check::Certificate& certificate : evidence.kernels.front()->certificates) {
        if (std::ranges::none_of(claim.terms, [&](const check::Term& term) {
                return term.certificate == certificate.id;
            }))
            continue;
        --certificate.bound;
        for (check::Term& term : claim.terms) {
            if (term.certificate != certificate.id) continue;
            --term.cycles;
            claim.value -= term.count;
        }
        EXPECT_EQ(check::check_structure(evidence).verdict, check::Verdict::Failed)
            << text << certificate.id;
        ++met.planted;
        ++certificate.bound;
        claim = whole;
    }
}

Met check_cases(int cases, GuardedKernel::Branches branches) {
    Met met;
    for_seeds(cases, [&](RandomSource& random_source) {
        const GuardedCase made = guarded_case(random_source, branches);
        check::Evidence evidence = made.evidence();
        const auto structure = check::check_structure(evidence);
        ASSERT_EQ(structure.verdict, check::Verdict::Holds) << structure.detail << made.text;
        const check::ClaimRow& claim = upper_claim(evidence);
        EXPECT_EQ(claim.value, made.bound) << made.text;
        if (claim.warps.empty()) return;
        ++met.by_warp;
        if (shows_all_warps(structure, claim.warps.size())) ++met.shown;
        met.limits += static_cast<int>(std::ranges::count_if(claim.terms, [](const auto& term) {
            return term.certificate.find("beyond-ports") == std::string::npos &&
                   term.certificate.find("-beyond-") != std::string::npos;
        }));
        leave_out_terms(evidence, met, made.text);
        lower_warps(evidence, met, made.text);
        lower_certificates(evidence, met, made.text);
    });
    return met;
}

void record(const Met& met) {
    testing::Test::RecordProperty("by_warp", met.by_warp);
    testing::Test::RecordProperty("shown", met.shown);
    testing::Test::RecordProperty("with_limits", met.limits);
    testing::Test::RecordProperty("planted", met.planted);
    testing::Test::RecordProperty("left_to_re_analysis", met.left);
}

int cases_of_test() {
    return static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 60));
}

TEST(EvidenceByWarp, ClaimsWhatIsBoundedAndNeedsAllOfIt) {
    const int cases = cases_of_test();
    const Met met = check_cases(cases, GuardedKernel::Branches::Uniform);
    record(met);
    EXPECT_GT(met.by_warp * 10, cases);
    EXPECT_EQ(met.shown, met.by_warp);
    EXPECT_GT(met.limits * 20, cases);
    EXPECT_EQ(met.left, 0);
}

// What some node is counted for twice, no single thread is sure to execute twice.
TEST(EvidenceByWarp, WhereLanesDivergeClaimsWhatIsBoundedAndShowsAllWarps) {
    const int cases = cases_of_test();
    const Met met = check_cases(cases, GuardedKernel::Branches::Divergent);
    record(met);
    EXPECT_GT(met.by_warp * 10, cases);
    EXPECT_EQ(met.shown, met.by_warp);
    EXPECT_GT(met.limits * 20, cases);
    EXPECT_LT(met.left * 4, met.planted);
}

// S97: lines that each block leaves in the L0s, by the indices of its threads. A miss less is
// refused.
TEST(EvidenceByWarp, ClaimsWhatIsBoundedBehindInstructionCaches) {
    const int cases = cases_of_test();
    int with_misses = 0;
    for_seeds(cases, [&](RandomSource& random_source) {
        const GuardedCase made =
            guarded_case(random_source, GuardedKernel::Branches::Divergent, Fetch::BehindCaches);
        check::Evidence evidence = made.evidence();
        const auto structure = check::check_structure(evidence);
        ASSERT_EQ(structure.verdict, check::Verdict::Holds) << structure.detail << made.text;
        check::ClaimRow& claim = upper_claim(evidence);
        EXPECT_EQ(claim.value, made.bound) << made.text;
        for (std::size_t i = claim.terms.size(); i-- > 0;) {
            check::Term& term = claim.terms[i];
            if (!term.certificate.empty() || term.count * term.cycles == 0) continue;
            --term.count;
            claim.value -= term.cycles;
            EXPECT_EQ(check::check_structure(evidence).verdict, check::Verdict::Failed)
                << made.text << term.cycles;
            ++with_misses;
            break;
        }
    });
    EXPECT_GT(with_misses * 2, cases);
}

} // namespace
} // namespace warpbound::tests

/// \file
/// Bundles of launches whose bound is a sum of many terms: each number of the sum is recomputed.

#include "tests/unit/certification/sample_bundle.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

struct Launched {
    const char* name;
    const char* launch;
    const char* policy;
    std::int64_t multiprocessors;
};

/// saxpy's loop on a T4 whose blocks follow each other at a made-up cost.
Bundle bundle_of(const Launched& launched) {
    BundleInputs made;
    made.tool_version = "1.2.3";
    KernelInput input =
        tests::example_kernel("saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml",
                              "turing-t4", launched.launch, 0);
    auto architecture = models::read_architecture({"turing-t4", input.architecture}).value();
    tests::set_value(architecture.blocks, "replacement", {3, 5, 9});
    tests::set_value(architecture.blocks, "start", {5, 5, 20});
    input.architecture = models::write_architecture(architecture);
    input.policy = launched.policy;
    input.multiprocessors = launched.multiprocessors;
    made.kernels.push_back(std::move(input));
    return build_bundle(made).value();
}

const std::vector<Launched>& launches() {
    static const std::vector<Launched> list{
        {"one wave on several multiprocessors", "40x128", "lrr", 8},
        {"several waves on several multiprocessors", "40x128", "gto", 2},
        {"slots of one wave", "5x128", "variable-rate:fast=0,every=3", 1},
        {"slots of several waves", "20x128", "variable-rate:fast=1,every=2", 1},
    };
    return list;
}

Verdict structure_of(EvidenceFiles files) {
    tests::seal_again(files);
    auto asked = options();
    asked.rebuild = [](const verify::Files& same) -> Result<verify::Files> { return same; };
    return tests::step_of(verify::verify(tests::plain(files), asked), "structure").verdict;
}

TEST(LaunchEvidence, ThatIsUntouchedHolds) {
    for (const Launched& launched : launches()) {
        const Bundle bundle = bundle_of(launched);
        const auto steps = verify::verify(tests::plain(bundle.files), options());
        EXPECT_EQ(verify::overall(steps), Verdict::Holds) << launched.name << "\n"
                                                          << text_of(steps);
        EXPECT_EQ(tests::step_of(steps, "solver").verdict, Verdict::Holds) << launched.name;
    }
}

/// A change of one term by somebody who brings the claimed value in line.
using TermChange = std::function<void(Json& terms, std::size_t term)>;

TEST(LaunchEvidence, WithAnyNumberOfASumLoweredOrATermLeftOutFails) {
    const auto lower = [](const char* part) -> TermChange {
        return [part](Json& terms, std::size_t term) {
            terms[term][part] = terms[term][part].get<std::int64_t>() - 1;
        };
    };
    const std::vector<std::pair<const char*, TermChange>> changes{
        {"count", lower("count")},
        {"cycles", lower("cycles")},
        {"left out", [](Json& terms, std::size_t term) { terms.erase(term); }}};
    for (const Launched& launched : launches()) {
        const Bundle bundle = bundle_of(launched);
        const Json claims = Json::parse(bundle.files.at("claims.json").bytes)["claims"];
        std::size_t changed = 0;
        for (std::size_t claim = 0; claim < claims.size(); ++claim)
            for (std::size_t term = 0; term < claims[claim]["proof"]["terms"].size(); ++term)
                for (const auto& [name, change] : changes) {
                    EvidenceFiles files = bundle.files;
                    edit(files, "claims.json", [&, change = change](Json& json) {
                        Json& row = json["claims"][claim];
                        change(row["proof"]["terms"], term);
                        row["value"] = tests::sum_of_terms(row["proof"]["terms"]);
                    });
                    ++changed;
                    EXPECT_EQ(structure_of(files), Verdict::Failed)
                        << launched.name << ", claim " << claim << ", term " << term << ", "
                        << name;
                }
        EXPECT_GE(changed, 15U) << launched.name; // a lower and an upper bound of several terms
    }
}

TEST(LaunchEvidence, WithoutTheLemmaOfAPlaceWhoseSumIsSmallerIsIncomplete) {
    EvidenceFiles files = bundle_of(launches()[2]).files;
    const std::string folder = "analysis/K1/";
    const Json claims = Json::parse(files.at("claims.json").bytes)["claims"];
    const auto used = claims[0]["proof"]["terms"][0]["lemma"].get<std::string>();
    std::size_t others = 0;
    for (const auto& [path, file] : bundle_of(launches()[2]).files) {
        if (path.rfind(folder + "execution-time-upper-every-", 0) != 0 ||
            path.rfind(folder + used + ".", 0) == 0)
            continue;
        files.erase(path);
        ++others;
    }
    ASSERT_GE(others, 2U); // a table and its script
    EXPECT_EQ(structure_of(files), Verdict::Incomplete);
}

TEST(LaunchEvidence, UnderAnotherRateFails) {
    const Bundle bundle = bundle_of(launches()[3]);
    for (const char* policy : {"variable-rate:fast=1,every=3", "lrr", "srr"}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        const Verdict verdict = structure_of(files);
        EXPECT_TRUE(verdict == Verdict::Failed || verdict == Verdict::Incomplete) << policy;
    }
}

TEST(LaunchEvidence, OnAnotherNumberOfMultiprocessorsFails) {
    const Bundle bundle = bundle_of(launches()[1]);
    // 41 are more than a T4 has.
    for (const std::int64_t multiprocessors : {0, 1, 3, 41}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json",
             [&](Json& json) { json["multiprocessors"] = multiprocessors; });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << multiprocessors;
    }
}

} // namespace
} // namespace warpbound::certification

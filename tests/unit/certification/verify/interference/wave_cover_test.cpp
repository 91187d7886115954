// Sums along blocks whose times cover that of a multiprocessor (docs/theory, S74), as the verifier
// derives them.

#include "certification/verify/interference/wave_cover.hpp"
#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::costliest_parts;
using verify::CoverParts;
using verify::PartOfCover;
using verify::Verdict;

// docs/theory, example of S74: 84 cycles for 3 starts, 122 for 4.
TEST(WaveCover, TakesThePartsThatCostMost) {
    EXPECT_EQ(costliest_parts(12, {3, 84}, {4, 122}), (CoverParts{0, 3}));
    EXPECT_EQ(costliest_parts(11, {3, 84}, {4, 122}), (CoverParts{1, 2}));
    EXPECT_EQ(costliest_parts(2, {3, 84}, {4, 122}), (CoverParts{0, 0}));
    EXPECT_EQ(costliest_parts(0, {1, 84}, {1, 122}), (CoverParts{0, 0}));
}

/// The same by trying all.
CoverParts by_trying_all(std::int64_t starts, const PartOfCover& same, const PartOfCover& other) {
    CoverParts best;
    std::int64_t most = -1;
    for (std::int64_t others = 0; others * other.starts <= starts; ++others) {
        const std::int64_t rest = (starts - others * other.starts) / same.starts;
        const std::int64_t cost = rest * same.cost + others * other.cost;
        if (cost <= most) continue;
        most = cost;
        best = {rest, others};
    }
    return best;
}

TEST(WaveCover, TakesTheCostliestOfAllThatTheStartsAllow) {
    for (std::int64_t slots = 1; slots <= 6; ++slots)
        for (std::int64_t theta = 1; theta <= slots; ++theta)
            for (std::int64_t starts = 0; starts <= 150; ++starts)
                for (const auto& [same, other] : std::vector<std::pair<std::int64_t, std::int64_t>>{
                         {10, 31}, {10, 9}, {3, 4}, {30, 41}, {5, 5}, {20, 20 * slots}})
                    EXPECT_EQ(costliest_parts(starts, {theta, same}, {slots, other}),
                              by_trying_all(starts, {theta, same}, {slots, other}))
                        << starts << " starts, " << theta << " of " << slots;
}

TEST(WaveCover, TakesAsManyStartsAsThereAre) {
    constexpr std::int64_t blocks = std::int64_t{1} << 40;
    EXPECT_EQ(costliest_parts(blocks, {32, 3}, {32, 4}), (CoverParts{0, blocks / 32}));
    EXPECT_EQ(costliest_parts(blocks + 5, {8, 3}, {32, 4}), (CoverParts{blocks / 8, 0}));
}

const Bundle& bundle_of_many_waves() {
    static const Bundle bundle = bundle_named(many_waves);
    return bundle;
}

std::string beginnings_of_kernel() {
    return certificates_of_kernel + "prefix-stall.json";
}

TEST(WaveCover, IsWhatABundleOfManyWavesClaims) {
    const Bundle& bundle = bundle_of_many_waves();
    EXPECT_THAT(certificates_of_upper_bound(bundle), testing::Contains("prefix-stall"));
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
    const auto& report = bundle.reports.front();
    const auto analysis =
        analysis_of(*std::ranges::find(launches(), std::string_view{many_waves}, &Launched::name));
    EXPECT_EQ(report.claim("execution-time", analyzer::Side::Upper)->value,
              analysis.execution_time.upper.proved.count());
}

// Whole paths alone: an author who knows no other problem than that of S.
TEST(WaveCover, OfWholePathsAloneFails) {
    EvidenceFiles files = bundle_of_many_waves().files;
    const Json whole = Json::parse(files.at(certificates_of_kernel + "stall.json").bytes);
    edit(files, beginnings_of_kernel(), [&](Json& json) {
        const Json id = json["id"];
        const Json text = json["text"];
        json = whole;
        json["id"] = id;
        json["text"] = text;
        json["facts"] = "loop-bounds";
    });
    const auto step = structure_step(files);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, testing::HasSubstr("ends paths"));
}

// Ends before completion that no path takes, as if there were none.
TEST(WaveCover, OfEndsThatComeTooEarlyFails) {
    EvidenceFiles files = bundle_of_many_waves().files;
    edit(files, beginnings_of_kernel(), [](Json& json) {
        for (Json& node : json["nodes"])
            if (node[0] == 1 && !node[1].is_null()) node[1] = -1'000'000;
    });
    const auto step = structure_step(files);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, testing::HasSubstr("issues later than its ends say"));
}

TEST(WaveCover, UnderFactsAboutWholePathsFails) {
    EvidenceFiles files = bundle_of_many_waves().files;
    edit(files, beginnings_of_kernel(), [](Json& json) { json["facts"] = "all"; });
    const auto step = structure_step(files);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, testing::HasSubstr("whole paths"));
}

// Edges that cost nothing, and the claim brought in line: the longest block alone is left.
TEST(WaveCover, OfBeginningsThatWaitForLessThanWholePathsFails) {
    EvidenceFiles files = bundle_of_many_waves().files;
    std::int64_t longest = 0;
    edit(files, beginnings_of_kernel(), [&](Json& json) {
        for (Json& edge : json["edges"])
            edge[2] = 0;
        for (const Json& node : json["nodes"])
            if (!node[1].is_null()) longest = std::max(longest, node[1].get<std::int64_t>());
        json["bound"] = longest;
        json.erase("witness");
    });
    edit(files, "claims.json", [&](Json& json) {
        Json& upper = json["claims"][0];
        for (Json& term : upper["proof"]["terms"])
            if (term.value("certificate", "") == "execution-time-upper-prefix-stall")
                term["cycles"] = longest;
        upper["value"] = tests::sum_of_terms(upper["proof"]["terms"]);
    });
    const auto step = structure_step(files);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, testing::HasSubstr("bounds less than"));
}

// Its conditions: a policy that conserves work, several waves, up to 256 block slots.
TEST(WaveCover, UnderAnotherPolicyOrInOneWaveFails) {
    const Bundle& bundle = bundle_of_many_waves();
    for (const char* policy : {"two-level:active=1", "srr", "variable-rate:fast=0,every=2"}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        EXPECT_NE(structure_of(files), Verdict::Holds) << policy;
    }
    EvidenceFiles files = bundle.files;
    edit(files, "inputs/K1/launch.json", [](Json& json) { json["launch"] = "2x128"; });
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

/// The terms of S74 for numbers that somebody else chose.
struct ForgedChain {
    const char* name;
    std::int64_t theta;
    std::int64_t kept;
    std::int64_t changed;
};

// Blocks of four warps on four schedulers: h is 1.
TEST(WaveCover, OfAnotherThetaOrFewerPartsFails) {
    const Bundle& bundle = bundle_of_many_waves();
    const Json claims = Json::parse(bundle.files.at("claims.json").bytes)["claims"];
    const Json honest = claims[0]["proof"]["terms"];
    const auto count_of = [&](const std::string& certificate) {
        for (const Json& term : honest)
            if (term.value("certificate", "") == "execution-time-upper-" + certificate)
                return term["count"].get<std::int64_t>();
        return std::int64_t{0};
    };
    const std::int64_t warps =
        count_of("demand-own-scheduler") + count_of("demand-other-schedulers");
    const std::int64_t begun = 399;
    const std::int64_t slots = warps / 4 - begun;
    const std::int64_t last = (slots * 4 + 3) / 4;
    const std::int64_t left = begun - slots;
    for (const ForgedChain& forged :
         {ForgedChain{"no block is alive", 0, 0, left / slots},
          ForgedChain{"more blocks are alive than there are", slots + 1, left / (slots + 1), 0},
          ForgedChain{"as many are alive as began", begun, 0, 0},
          ForgedChain{"a part less", 1, 0, left / slots - 1},
          ForgedChain{"no part besides the last", 1, 0, 0}}) {
        EvidenceFiles files = bundle.files;
        edit(files, "claims.json", [&](Json& json) {
            Json& row = json["claims"][0];
            const std::int64_t parts = forged.kept + forged.changed + 1;
            const std::int64_t own = begun + forged.changed * (forged.theta - 1) + last;
            for (Json& term : row["proof"]["terms"]) {
                const std::string text = term["text"].get<std::string>();
                const std::string certificate = term.value("certificate", "");
                if (certificate.ends_with("prefix-stall") || text.starts_with("an instruction"))
                    term["count"] = parts;
                if (certificate.ends_with("demand-own-scheduler")) term["count"] = own;
                if (certificate.ends_with("demand-other-schedulers")) term["count"] = warps - own;
                if (text.starts_with("replacement")) term["count"] = forged.changed + 1;
            }
            row["value"] = tests::sum_of_terms(row["proof"]["terms"]);
        });
        const Json changed = Json::parse(files.at("claims.json").bytes)["claims"];
        EXPECT_LT(changed[0]["value"], claims[0]["value"]) << forged.name;
        EXPECT_EQ(structure_of(files), Verdict::Failed) << forged.name;
    }
}

} // namespace
} // namespace warpbound::certification

/// \file
/// Bundles of launches whose bound is a sum of many terms: each number of the sum is recomputed.

#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string_view>
#include <utility>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

/// One tree: the best alternative of the bundle is what `analyze` claims, and the claim of the
/// bundle is among the alternatives of `analyze`.
void expect_the_tree_that_is_analyzed(const Launched& launched, const Bundle& bundle) {
    const auto& report = bundle.reports.front();
    const auto plain = analysis_of(launched);
    for (const auto side : {analyzer::Side::Upper, analyzer::Side::Lower}) {
        const Claim& claim = *report.claim("execution-time", side);
        const auto& analyzed =
            side == analyzer::Side::Upper ? plain.execution_time.upper : plain.execution_time.lower;
        EXPECT_EQ(claim.value, analyzed.proved.count());
        EXPECT_EQ(analyzer::value_of(claim.bound), analyzed.proved);
        const auto shown = analyzer::with_evidence(analyzed.bound, side);
        ASSERT_TRUE(shown);
        EXPECT_EQ(analyzer::value_of(*shown).count(), claim.value);
    }
}

/// A change of one term by somebody who brings the claimed value in line.
using TermChange = std::function<void(Json& terms, std::size_t term)>;

void expect_failure_of_any_changed_term(const Bundle& bundle) {
    const auto lower = [](const char* part) -> TermChange {
        return [part](Json& terms, std::size_t term) {
            terms[term][part] = terms[term][part].get<std::int64_t>() - 1;
        };
    };
    const std::vector<std::pair<const char*, TermChange>> changes{
        {"count", lower("count")},
        {"cycles", lower("cycles")},
        {"left out", [](Json& terms, std::size_t term) { terms.erase(term); }}};
    const Json claims = Json::parse(bundle.files.at("claims.json").bytes)["claims"];
    std::size_t changed = 0;
    for (std::size_t claim = 0; claim < claims.size(); ++claim)
        for (std::size_t term = 0; term < claims[claim]["proof"]["terms"].size(); ++term)
            for (const auto& [name, change] : changes) {
                const Json& stated = claims[claim]["proof"]["terms"][term];
                if (stated["cycles"] == 0 && std::string_view{name} == "left out") continue;
                EvidenceFiles files = bundle.files;
                edit(files, "claims.json", [&, change = change](Json& json) {
                    Json& row = json["claims"][claim];
                    change(row["proof"]["terms"], term);
                    row["value"] = tests::sum_of_terms(row["proof"]["terms"]);
                });
                ++changed;
                EXPECT_EQ(structure_of(files), Verdict::Failed)
                    << "claim " << claim << ", term " << term << ", " << name;
            }
    EXPECT_GE(changed, 12U); // four terms of both bounds at least
}

// One test, as the making of a bundle takes longer than most checks of it.
TEST(LaunchEvidence, OfEachLaunchIsOfWhatIsBoundedAndFailsWithAnyTermChanged) {
    for (const Launched& launched : launches()) {
        SCOPED_TRACE(launched.name);
        const Bundle bundle = bundle_of(launched);
        EXPECT_FALSE(bundle.reports.front().without_evidence);
        expect_the_tree_that_is_analyzed(launched, bundle);
        const auto steps = verify::verify(tests::plain(bundle.files), options());
        EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
        EXPECT_EQ(tests::step_of(steps, "solver").verdict, Verdict::Holds);
        expect_failure_of_any_changed_term(bundle);
    }
}

// Tables with several nodes of a block are not held against the listing node by node, so the most
// that a part costs is found again.
TEST(LaunchEvidence, OfBlocksThatMeetHoldsTheCostliestPart) {
    EvidenceFiles files = bundle_named(blocks_that_meet).files;
    ASSERT_THAT(certificates_of_upper_bound(bundle_named(blocks_that_meet)),
                testing::Contains("barrier-interval"));
    EXPECT_EQ(structure_of(files), Verdict::Holds);
    edit(files, certificates_of_kernel + "barrier-interval.json", [&](Json& json) {
        for (Json& edge : json["edges"])
            edge[2] = 0;
        for (Json& node : json["nodes"])
            if (!node[1].is_null()) node[1] = 0;
        EXPECT_GT(json["bound"], 0);
        json["bound"] = 0;
        json["witness"]["cost"] = 0;
    });
    edit(files, "claims.json", [&](Json& json) {
        Json& upper = json["claims"][0];
        for (Json& term : upper["proof"]["terms"])
            if (term.value("certificate", "") == "execution-time-upper-barrier-interval")
                term["cycles"] = 0;
        upper["value"] = tests::sum_of_terms(upper["proof"]["terms"]);
    });
    const auto step = structure_step(files);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, testing::HasSubstr("a barrier interval costs"));
}

TEST(LaunchEvidence, OfBlocksThatMeetCountsThePlaceWhereItTakesLongest) {
    EXPECT_THAT(
        certificates_of_upper_bound(bundle_named("slots of blocks that meet, one wave")),
        testing::IsSupersetOf({testing::Matcher<std::string>{"in-any-warp-slot"},
                               testing::Matcher<std::string>{testing::StartsWith("ports-")}}));
    EXPECT_THAT(
        certificates_of_upper_bound(bundle_named("slots of blocks that meet, several waves")),
        testing::IsSupersetOf({"in-any-warp-slot", "ports-in-any-warp-slot"}));
}

// At a barrier the chain leaves the path that such facts speak of.
TEST(LaunchEvidence, OfBlocksThatMeetUnderFactsAboutWholePathsFails) {
    EvidenceFiles files = bundle_named("slots of blocks that meet, one wave").files;
    edit(files, "analysis/K1/execution-time-upper-in-any-warp-slot.json",
         [](Json& json) { json["facts"] = "all"; });
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

/// A second copy of all nodes keeps every way between blocks, so that one can be left out where
/// paths are.
TEST(LaunchEvidence, WithNodesThatNoPathReachesFails) {
    for (const char* certificate : {"demand-own-scheduler", "stall"}) {
        const std::string path =
            std::string{"analysis/K1/execution-time-upper-"} + certificate + ".json";
        EvidenceFiles files = bundle_named("several waves on several multiprocessors").files;
        edit(files, path, [](Json& json) {
            const std::size_t nodes = json["nodes"].size();
            const Json edges = json["edges"];
            for (std::size_t node = 0; node < nodes; ++node)
                json["nodes"].push_back(Json(json["nodes"][node]));
            for (const Json& edge : edges)
                json["edges"].push_back({edge[0].get<std::size_t>() + nodes,
                                         edge[1].get<std::size_t>() + nodes, edge[2]});
        });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << certificate;
    }
}

TEST(LaunchEvidence, OfLanesThatPartFails) {
    EvidenceFiles files = bundle_named("turns of one wave").files;
    for (const char* const path : {"inputs/K1/flow-facts.xml", "analysis/K1/facts-in-use.xml"}) {
        std::string& facts = files.at(path).bytes;
        const std::size_t at = facts.find("<uniform at=\"0x0000\"");
        ASSERT_NE(at, std::string::npos) << path;
        facts.replace(at, 8, "<divergent");
    }
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

TEST(LaunchEvidence, WithoutTheLemmaOfAPlaceWhoseSumIsSmallerIsIncomplete) {
    EvidenceFiles files = bundle_named("slots of one wave").files;
    const std::string folder = "analysis/K1/";
    const Json claims = Json::parse(files.at("claims.json").bytes)["claims"];
    const auto used = claims[0]["proof"]["terms"][0]["certificate"].get<std::string>();
    std::size_t others = 0;
    for (const auto& [path, file] : bundle_named("slots of one wave").files) {
        if (path.rfind(folder + "execution-time-upper-slot-distance-", 0) != 0 ||
            path.rfind(folder + used + ".", 0) == 0)
            continue;
        files.erase(path);
        ++others;
    }
    ASSERT_GE(others, 2U); // a table and its script
    EXPECT_EQ(structure_of(files), Verdict::Incomplete);
}

TEST(LaunchEvidence, UnderAnotherRateFails) {
    const Bundle bundle = bundle_named("slots of several waves");
    for (const char* policy : {"variable-rate:fast=1,every=3", "lrr", "srr"}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        const Verdict verdict = structure_of(files);
        EXPECT_TRUE(verdict == Verdict::Failed || verdict == Verdict::Incomplete) << policy;
    }
}

TEST(LaunchEvidence, OnAnotherNumberOfMultiprocessorsFails) {
    const Bundle bundle = bundle_named("several waves on several multiprocessors");
    // 41 are more than a T4 has.
    for (const std::int64_t multiprocessors : {0, 1, 3, 41}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json",
             [&](Json& json) { json["multiprocessors"] = multiprocessors; });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << multiprocessors;
    }
}

// Five blocks on one multiprocessor take all places of its schedulers, on two at least three of
// them take the fast place and two others; of five each may get one, which takes the fast place.
TEST(LaunchEvidence, OfSlotsHasNoPathOfAPlaceThatMayStayEmpty) {
    const Bundle bundle = bundle_named("slots of one wave");
    for (const auto& [multiprocessors, verdict] :
         {std::pair{2, Verdict::Holds}, std::pair{5, Verdict::Failed}}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json",
             [&, count = multiprocessors](Json& json) { json["multiprocessors"] = count; });
        EXPECT_EQ(structure_of(files), verdict) << multiprocessors;
    }
}

} // namespace
} // namespace warpbound::certification

/// \file
/// Bundles of launches whose accesses go through the caches.

#include "models/architecture/value_path.hpp"
#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

TEST(LaunchEvidence, OfAccessesThroughCachesSumsWhatTheyWaitFor) {
    EXPECT_THAT(
        certificates_of_upper_bound(bundle_named("accesses of several waves through caches")),
        testing::IsSupersetOf({"loads", "stores", "mshr", "link-queue", "refreshes"}));
}

TEST(LaunchEvidence, OfAccessesInSlotsSumsWaitsThatEndBetweenSlots) {
    const auto certificates = certificates_of_upper_bound(bundle_named(cached_in_slots));
    EXPECT_THAT(certificates,
                testing::IsSupersetOf({"loads", "stores", "mshr", "link-queue", "drain",
                                       "loads-between-slots", "stores-between-slots"}));
    EXPECT_THAT(certificates, testing::Not(testing::Contains("write-buffer-in-any-warp-slot")));
}

TEST(LaunchEvidence, OfAccessesInStrictTurnsSumsTimesOfWarpsAndWhatAllWaitFor) {
    const auto certificates = certificates_of_upper_bound(bundle_named(cached_in_turns));
    EXPECT_THAT(certificates, testing::IsSupersetOf({"in-isolation", "issue-slots", "loads",
                                                     "stores", "mshr", "link-queue", "drain"}));
    EXPECT_THAT(certificates,
                testing::Not(testing::Contains(testing::StartsWith("rotations-of-"))));
}

/// Rounds do not count what loads of several warps wait for at caches.
TEST(LaunchEvidence, OfRoundsInWhichLoadsWaitAtCachesFails) {
    EvidenceFiles files = bundle_named(cached_in_turns).files;
    const Bundle rounds = bundle_named("strict turns of several waves of lone warps");
    for (const auto& [path, file] : rounds.files)
        if (path.rfind(certificates_of_kernel + "rotations-of-", 0) == 0) files[path] = file;
    EXPECT_NE(structure_of(files), Verdict::Holds);
}

TEST(LaunchEvidence, OfAccessesThroughCachesListsWhatIsTakenOfThem) {
    const Bundle bundle = bundle_named("accesses of several waves through caches");
    std::string assumptions;
    for (const auto& assumption : bundle.reports.front().assumptions)
        assumptions += assumption.text + "\n";
    for (const char* taken :
         {"Caches start empty", "DRAM refreshes at any time", "0x0008 with its address pattern",
          "memories/dram/refresh-duration", "memories/l1/mshr-entries"})
        EXPECT_THAT(assumptions, testing::HasSubstr(taken));
}

/// Somebody forgets what a line needs, in all tables, and brings the sum in line.
TEST(LaunchEvidence, WithACostOfAnAccessLoweredFails) {
    const auto fails = [](const Bundle& bundle, const std::string& kind) {
        EvidenceFiles files = bundle.files;
        const std::string path = "analysis/K1/execution-time-upper-" + kind + ".json";
        edit(files, path, [](Json& certificate) {
            for (auto& edge : certificate["edges"])
                if (edge[2] != 0) edge[2] = edge[2].get<std::int64_t>() - 1;
            for (auto& node : certificate["nodes"])
                if (!node[1].is_null() && node[1] != 0) node[1] = node[1].get<std::int64_t>() - 1;
        });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << kind;
    };
    const Bundle bundle = bundle_named("accesses of several waves through caches");
    for (const char* kind : {"loads", "stores", "mshr", "link-queue", "refreshes"})
        fails(bundle, kind);
    const Bundle in_slots = bundle_named(cached_in_slots);
    for (const char* kind : {"drain", "loads-between-slots", "stores-between-slots"})
        fails(in_slots, kind);
    const Bundle in_turns = bundle_named(cached_in_turns);
    for (const char* kind : {"drain", "issue-slots", "loads", "stores", "mshr", "link-queue"})
        fails(in_turns, kind);
}

/// The sum of fewer waits is none under another policy or for more warps.
TEST(LaunchEvidence, OfAccessesInOtherSlotsOrTurnsFails) {
    for (const char* launch : {cached_in_slots, cached_in_turns}) {
        const Bundle bundle = bundle_named(launch);
        for (const auto& [what, other] : std::vector<std::pair<const char*, const char*>>{
                 {"policy", "variable-rate:fast=1,every=3"},
                 {"policy", "gto"},
                 {"launch", "41x128"},
                 {"launch", "60x128"}}) {
            EvidenceFiles files = bundle.files;
            edit(files, "inputs/K1/launch.json",
                 [&, what = what, other = other](Json& json) { json[what] = other; });
            EXPECT_NE(structure_of(files), Verdict::Holds) << launch << ", " << other;
        }
    }
}

/// The certificates stay, the description that they are held against says another number.
void expect_failed_with(const Bundle& bundle,
                        const std::vector<std::pair<const char*, std::int64_t>>& values) {
    const std::string path = "model/fermi-gtx470.xml";
    const auto machine = models::read_architecture({path, bundle.files.at(path).bytes}).value();
    for (const auto& [value, number] : values) {
        EvidenceFiles files = bundle.files;
        auto other = machine;
        ASSERT_TRUE(models::override_value(other, value, number)) << value;
        files.at(path).bytes = models::write_architecture(other);
        EXPECT_EQ(structure_of(files), Verdict::Failed) << value;
    }
}

TEST(LaunchEvidence, OnAnotherMemorySystemFails) {
    expect_failed_with(bundle_named("accesses of several waves through caches"),
                       {{"memories/l1/service", 2},
                        {"memories/l1/sector", 32},
                        {"memories/l1/mshr-entries", 5},
                        {"memories/l1/mshr-merges", 2},
                        {"memories/l2/latency", 900},
                        {"memories/l2/service", 2},
                        {"memories/interconnect/latency", 9},
                        {"memories/interconnect/service", 5},
                        {"memories/interconnect/queue", 1},
                        {"memories/dram/row-miss", 999},
                        {"memories/dram/refresh-duration", 201},
                        {"classes/load-global/pass-cost", 11}});
    // Of slots: where all loads and stores have a place, none leaves it between slots.
    expect_failed_with(bundle_named(cached_in_slots), {{"memories/l1/queue", 1'000'000},
                                                       {"write-buffer/entries", 1'000'000},
                                                       {"write-buffer/drain", 999},
                                                       {"memories/l1/service", 2}});
}

} // namespace
} // namespace warpbound::certification

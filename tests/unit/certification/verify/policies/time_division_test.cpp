/// \file
/// Bundles of launches under time division: slots that ports and the write buffer block, where they
/// lie.

#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

constexpr const char* in_one_wave = "slots of one wave";
constexpr const char* at_barriers = "slots of blocks that meet, one wave";

std::vector<std::string> files_about_ports(const EvidenceFiles& files) {
    std::vector<std::string> paths;
    for (const auto& [path, file] : files)
        if (path.rfind(certificates_of_kernel + "ports-", 0) == 0 &&
            path.find(".json") != std::string::npos)
            paths.push_back(path);
    return paths;
}

TEST(LaunchEvidence, OfPortsInSlotsHasACertificateForEachNumberOfSlots) {
    for (const char* launch : {in_one_wave, at_barriers}) {
        const Bundle bundle = bundle_named(launch);
        EXPECT_THAT(certificates_of_upper_bound(bundle),
                    testing::Contains(testing::StartsWith("ports-")))
            << launch;
        EXPECT_EQ(structure_of(bundle.files), Verdict::Holds) << launch;
    }
}

/// Somebody forgets a slot that a use blocks, in a table, and brings the bound in line.
TEST(LaunchEvidence, OfPortsInSlotsWithASlotLeftOutFails) {
    int lowered = 0;
    for (const char* launch : {in_one_wave, at_barriers}) {
        const Bundle bundle = bundle_named(launch);
        for (const std::string& path : files_about_ports(bundle.files)) {
            EvidenceFiles files = bundle.files;
            if (!lower_costs(files, path)) continue;
            ++lowered;
            EXPECT_EQ(structure_of(files), Verdict::Failed) << path;
        }
    }
    EXPECT_GE(lowered, 2);
}

/// Somebody leaves out a term of the sum, or counts a warp less, and brings the claim in line.
TEST(LaunchEvidence, OfPortsInSlotsWithAWarpLessFails) {
    for (const char* launch : {in_one_wave, at_barriers})
        for (const bool whole_term : {true, false}) {
            EvidenceFiles files = bundle_named(launch).files;
            bool changed = false;
            edit(files, "claims.json", [&](Json& json) {
                Json& upper = json["claims"][0];
                Json& terms = upper["proof"]["terms"];
                for (std::size_t i = 0; i < terms.size() && !changed; ++i) {
                    if (terms[i].value("certificate", "").rfind("execution-time-upper-ports-", 0) !=
                        0)
                        continue;
                    changed = true;
                    const std::int64_t count = terms[i]["count"].get<std::int64_t>();
                    if (whole_term || count == 1)
                        terms.erase(i);
                    else
                        terms[i]["count"] = count - 1;
                }
                upper["value"] = tests::sum_of_terms(terms);
            });
            ASSERT_TRUE(changed) << launch;
            const auto step = structure_step(files);
            EXPECT_EQ(step.verdict, Verdict::Failed);
            EXPECT_THAT(step.detail, testing::HasSubstr("its sum lacks")) << launch;
        }
}

/// A warp slot or a phase whose sum is smaller could not be compared.
TEST(LaunchEvidence, OfPortsInSlotsWithoutACertificateThatNoTermNamesIsIncomplete) {
    const Bundle bundle = bundle_named(in_one_wave);
    const auto named = certificates_of_upper_bound(bundle);
    int removed = 0;
    for (const std::string& path : files_about_ports(bundle.files)) {
        const std::string id = path.substr(certificates_of_kernel.size(),
                                           path.size() - certificates_of_kernel.size() - 5);
        if (std::find(named.begin(), named.end(), id) != named.end()) continue;
        EvidenceFiles files = bundle.files;
        std::erase_if(files, [&](const auto& file) {
            return file.first.rfind(certificates_of_kernel + id + ".", 0) == 0;
        });
        ++removed;
        EXPECT_EQ(structure_of(files), Verdict::Incomplete) << path;
    }
    testing::Test::RecordProperty("removed", removed);
}

/// Somebody counts a slot less in which the write buffer is full, and brings the claim in line.
TEST(LaunchEvidence, OfAFullBufferInSlotsWithASlotLessFails) {
    int changed = 0;
    for (const char* launch : {in_one_wave, at_barriers, "slots of several waves"})
        for (const char* number : {"count", "cycles"}) {
            EvidenceFiles files = bundle_named(launch).files;
            bool found = false;
            edit(files, "claims.json", [&](Json& json) {
                Json& upper = json["claims"][0];
                Json& terms = upper["proof"]["terms"];
                for (Json& term : terms) {
                    if (term["text"].get<std::string>().find("write buffer is full") ==
                        std::string::npos)
                        continue;
                    found = true;
                    term[number] = term[number].get<std::int64_t>() - 1;
                }
                upper["value"] = tests::sum_of_terms(terms);
            });
            if (!found) continue;
            ++changed;
            EXPECT_EQ(structure_of(files), Verdict::Failed) << launch << ", " << number;
        }
    EXPECT_GE(changed, 2);
}

TEST(LaunchEvidence, OfPortsInSlotsUnderAnotherTableOfSlotsFails) {
    for (const char* policy : {"variable-rate:fast=0,every=2", "variable-rate:fast=0,every=4"}) {
        EvidenceFiles files = bundle_named(in_one_wave).files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        EXPECT_NE(structure_of(files), Verdict::Holds) << policy;
    }
}

} // namespace
} // namespace warpbound::certification

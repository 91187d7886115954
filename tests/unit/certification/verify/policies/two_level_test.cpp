/// \file
/// Bundles of launches with more warps than the active set of the two-level policy holds.

#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

TEST(ActiveSetEvidence, CountsWhatIsWaitedForInside) {
    EXPECT_THAT(certificates_of_upper_bound(bundle_named(active_set_in_one_wave)),
                testing::IsSupersetOf({"stall", "demand-own-scheduler", "within-active-set"}));
}

/// Somebody shortens one wait in the table, and brings the sum in line.
TEST(ActiveSetEvidence, WithAShorterWaitFails) {
    const Bundle bundle = bundle_named(active_set_in_one_wave);
    EvidenceFiles files = bundle.files;
    bool changed = false;
    edit(files, certificates_of_kernel + "within-active-set.json", [&](Json& json) {
        for (Json& edge : json["edges"])
            if (!changed && edge[2].get<std::int64_t>() > 0) {
                edge[2] = edge[2].get<std::int64_t>() - 1;
                changed = true;
            }
    });
    ASSERT_TRUE(changed);
    EXPECT_EQ(structure_of(files), Verdict::Failed);
}

TEST(ActiveSetEvidence, OfASetOfAnotherSizeFails) {
    const Bundle bundle = bundle_named(active_set_in_one_wave);
    for (const char* policy : {"two-level:active=1", "two-level:active=4", "two-level:active=8"}) {
        EvidenceFiles files = bundle.files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        EXPECT_EQ(structure_of(files), Verdict::Failed) << policy;
    }
}

} // namespace
} // namespace warpbound::certification

/// \file
/// An older bundle that was changed is no baseline.

#include "cli/evidence/evidence_folder.hpp"
#include "tests/attacks/bundles.hpp"
#include "tests/attacks/hostile_case.hpp"

#include <gtest/gtest.h>

namespace warpbound {
namespace {

using tests::Folder;
using tests::Honest;
using tests::saxpy;

tests::Outcome certify_after(certification::EvidenceFiles files, bool sealed) {
    if (sealed) tests::seal(files);
    const Folder folder;
    const auto written = cli::write_evidence(folder.path("old"), files);
    EXPECT_TRUE(written) << to_string(written.error());
    return tests::run_warpbound({"certify", saxpy(".sass"), "--architecture", "turing-t4",
                                 "--launch", "2x128", "--flow-facts", saxpy(".flow-facts.xml"),
                                 "--baseline", folder.path("old"), "-o", folder.path("new")});
}

TEST(TamperedBaseline, IsRefused) {
    for (const bool sealed : {false, true}) {
        auto files = tests::honest(Honest::Saxpy);
        tests::set("claims.json", "/claims/0/value", 100)(files);
        const auto outcome = certify_after(std::move(files), sealed);
        EXPECT_EQ(tests::misbehaviour_of(outcome), "");
        EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.err;
        EXPECT_NE(outcome.err.find("the older bundle does not check"), std::string::npos)
            << outcome.err;
        EXPECT_NE(outcome.err.find("warpbound verify"), std::string::npos) << outcome.err;
    }
}

TEST(TamperedBaseline, ThatIsHonestIsAccepted) {
    const auto outcome = certify_after(tests::honest(Honest::Saxpy), true);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

} // namespace
} // namespace warpbound

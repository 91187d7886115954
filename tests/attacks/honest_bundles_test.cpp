/// \file
/// The bundles that attacks start from are accepted, also when they are sealed or made again: what
/// is refused of an attack is its edit.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>

namespace warpbound {
namespace {

using tests::Honest;

class HonestBundle : public testing::TestWithParam<Honest> {};

TEST_P(HonestBundle, IsAccepted) {
    auto files = tests::honest(GetParam());
    const auto manifest = files.at("manifest.json").bytes;
    tests::seal(files);
    EXPECT_TRUE(files.at("manifest.json").bytes == manifest) << "sealing changes the bundle";
    const auto verify = tests::verify_files(files, {"--replay"});
    EXPECT_EQ(tests::misbehaviour_of(verify), "");
    EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
}

INSTANTIATE_TEST_SUITE_P(Made, HonestBundle,
                         testing::Values(Honest::Saxpy, Honest::Several, Honest::Divergent,
                                         Honest::Campaign, Honest::Commented, Honest::Waves,
                                         Honest::Loaded, Honest::LoadedBehindLoop,
                                         Honest::DivergentTurns));

TEST(HonestTool, OfAnotherVersionIsShownAsAClaim) {
    auto files = tests::honest(Honest::Saxpy);
    tests::set("inputs/run.json", "/tool/version", "9.9")(files);
    tests::remake(files);
    const auto verify = tests::verify_files(files);
    EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
    EXPECT_NE(verify.out.find("made by warpbound 9.9 (claimed; this program is "),
              std::string::npos)
        << verify.out;
}

TEST(HonestTool, OfAnotherSolverIsShownAsAClaim) {
    auto files = tests::honest(Honest::Saxpy);
    tests::text("inputs/run.json", "\"name\":\"Z3\",\"version\":\"",
                "\"name\":\"Z3\",\"version\":\"9")(files);
    tests::remake(files);
    const auto verify = tests::verify_files(files);
    EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
    EXPECT_NE(verify.out.find("made with Z3 9"), std::string::npos) << verify.out;
}

} // namespace
} // namespace warpbound

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
                                         Honest::Campaign));

} // namespace
} // namespace warpbound

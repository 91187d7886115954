#include "assembly/support/source_text.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

namespace warpbound {
namespace {

TEST(Failure, PrintsWhatIsKnownOfItsLocation) {
    EXPECT_EQ(to_string(Failure{"wrong", "a.sass", 3, 7}), "a.sass:3:7: wrong");
    EXPECT_EQ(to_string(Failure{"wrong", "a.sass", 3, 0}), "a.sass:3: wrong");
    EXPECT_EQ(to_string(Failure{"wrong", "a.sass", 0, 0}), "a.sass: wrong");
    EXPECT_EQ(to_string(Failure{"wrong", "", 3, 7}), "line:3:7: wrong");
    EXPECT_EQ(to_string(Failure{"wrong", "", 0, 0}), "wrong");
}

// The test vectors of FIPS 180-4 for SHA-256: the empty text and "abc".
TEST(Digest, IsSha256) {
    EXPECT_EQ(assembly::digest_of(""),
              "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(assembly::digest_of("abc"),
              "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SourceText, RefusesAMissingFileAndAFolder) {
    const auto missing = assembly::read_source("no/such/file");
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().where, "no/such/file");
    EXPECT_FALSE(assembly::read_source(WARPBOUND_SOURCE_DIR).has_value());
}

TEST(SourceText, RefusesMoreThanItsLimit) {
    const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / "source_text";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    std::fputs("12345", file);
    std::fclose(file);
    EXPECT_EQ(assembly::read_source(path, 5).value().text, "12345");
    EXPECT_FALSE(assembly::read_source(path, 4).has_value());
    std::filesystem::remove(path);
}

} // namespace
} // namespace warpbound

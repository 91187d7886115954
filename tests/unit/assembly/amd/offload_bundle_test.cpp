#include "assembly/amd/offload_bundle.hpp"
#include "code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace warpbound::assembly::amd {
namespace {

using testing::HasSubstr;

std::string little_endian(std::uint64_t value) {
    std::string out;
    for (int i = 0; i < 8; ++i, value >>= 8U)
        out += static_cast<char>(value & 0xffU);
    return out;
}

/// As clang writes it: magic, number of entries, of each offset, size and name; then the code.
std::string bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::size_t at = 32;
    for (const auto& [id, code] : entries)
        at += 24 + id.size();
    std::string head = "__CLANG_OFFLOAD_BUNDLE__" + little_endian(entries.size());
    std::string body;
    for (const auto& [id, code] : entries) {
        head += little_endian(at + body.size()) + little_endian(code.size()) +
                little_endian(id.size()) + id;
        body += code;
    }
    return head + body;
}

TEST(OffloadBundle, HasTheCodeOfEachProcessor) {
    const std::string code = amd_file("gfx90a.hsaco.xz");
    const std::string bytes = bundle({{"host-x86_64-unknown-linux--", ""},
                                      {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", code},
                                      {"hipv4-amdgcn-amd-amdhsa--gfx1200", "unread"},
                                      {"hipv4-amdgcn-amd-amdhsa--gfx1100", "x"}});
    ASSERT_TRUE(is_offload_bundle(bytes));
    const auto entries = read_offload_bundle(bytes);
    ASSERT_TRUE(entries) << to_string(entries.error());
    ASSERT_EQ(entries.value().size(), 2U);
    EXPECT_EQ(to_string(entries.value()[0].target), "gfx90a");
    EXPECT_EQ(entries.value()[0].bytes, code);
    EXPECT_EQ(to_string(entries.value()[1].target), "gfx1100");
}

TEST(OffloadBundle, WithoutReadCodeSaysWhatItHolds) {
    const auto entries =
        read_offload_bundle(bundle({{"hipv4-amdgcn-amd-amdhsa--gfx1200", "code"}}));
    ASSERT_FALSE(entries);
    EXPECT_THAT(to_string(entries.error()), HasSubstr("gfx1200"));
    EXPECT_THAT(to_string(entries.error()), HasSubstr("gfx1151"));
}

TEST(OffloadBundle, ThatIsCompressedSaysWhatToType) {
    ASSERT_TRUE(is_offload_bundle("CCOB\1\0"));
    EXPECT_THAT(to_string(read_offload_bundle("CCOB....").error()),
                HasSubstr("--no-offload-compress"));
}

TEST(OffloadBundle, CutShortIsRefused) {
    const std::string bytes = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", "the code"}});
    for (std::size_t size = 24; size < bytes.size(); ++size)
        EXPECT_FALSE(read_offload_bundle(std::string_view{bytes}.substr(0, size))) << size;
    std::string many = bytes;
    many[31] = '\x7f'; // The number of entries.
    EXPECT_FALSE(read_offload_bundle(many));
}

} // namespace
} // namespace warpbound::assembly::amd

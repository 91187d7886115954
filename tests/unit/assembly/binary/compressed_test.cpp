#include "assembly/binary/compressed.hpp"
#include "files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::assembly {
namespace {

TEST(Compressed, LeavesOtherBytesAsTheyAre) {
    EXPECT_EQ(decompressed("EXIT ;\n", 100).value(), "EXIT ;\n");
}

TEST(Compressed, IsReadFromItsFirstBytes) {
    const std::string ptx = binary("two_kernels.ptx");
    EXPECT_EQ(decompressed(binary("two_kernels.ptx.gz"), 1 << 20).value(), ptx);
    EXPECT_EQ(decompressed(binary("two_kernels.ptx.xz"), 1 << 20).value(), ptx);
}

TEST(Compressed, OfSeveralMembersIsTheirSequence) {
    const std::string member = binary("two_kernels.ptx.gz");
    const std::string ptx = binary("two_kernels.ptx");
    EXPECT_EQ(decompressed(member + member, 1 << 20).value(), ptx + ptx);
}

TEST(Compressed, IsRefusedWhereItIsCutOrTooLarge) {
    for (const char* name : {"two_kernels.ptx.gz", "two_kernels.ptx.xz"}) {
        const std::string bytes = binary(name);
        EXPECT_THAT(decompressed(bytes, 100).error().what, testing::HasSubstr("limit of 100"));
        for (std::size_t size = 6; size < bytes.size(); size += 7)
            EXPECT_FALSE(decompressed(bytes.substr(0, size), 1 << 20)) << name << ", " << size;
    }
}

} // namespace
} // namespace warpbound::assembly

#include "assembly/binary/cubin.hpp"
#include "assembly/binary/fatbin.hpp"
#include "files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::assembly {
namespace {

using testing::HasSubstr;

TEST(Fatbin, ListsItsImages) {
    const std::string bytes = binary("two_kernels.fatbin");
    ASSERT_TRUE(is_fatbin(bytes));
    const auto images = read_fatbins(bytes);
    ASSERT_TRUE(images) << to_string(images.error());
    ASSERT_EQ(images.value().size(), 3U);
    int ptx = 0;
    for (const auto& image : images.value()) {
        EXPECT_FALSE(image.is_compressed);
        if (image.kind == ImageKind::Ptx) {
            ++ptx;
            EXPECT_EQ(image.sm, 90);
            EXPECT_THAT(std::string{image.bytes}, HasSubstr(".version"));
        } else {
            EXPECT_EQ(read_cubin(image.bytes).value().target, Target{image.sm});
        }
    }
    EXPECT_EQ(ptx, 1);
}

TEST(Fatbin, IsFoundInAHostProgram) {
    const std::string fatbin = binary("two_kernels.fatbin");
    // Two translation units, with padding between them.
    const std::string elf = host_elf(".nv_fatbin", fatbin + std::string(16, '\0') + fatbin);
    const auto images = read_host_elf(elf);
    ASSERT_TRUE(images) << to_string(images.error());
    EXPECT_EQ(images.value().size(), 6U);
}

TEST(Fatbin, IsMissedInAHostProgramWithoutOne) {
    EXPECT_THAT(read_host_elf(host_elf(".text", "x")).error().what, HasSubstr("without GPU code"));
    EXPECT_THAT(
        read_host_elf(host_elf("__nv_relfatbin", "x")).error().what,
        testing::AllOf(HasSubstr("relocatable"), HasSubstr("nvcc -dlink"), HasSubstr("nvlink")));
}

TEST(Fatbin, SaysWhichImagesAreCompressed) {
    std::string bytes = binary("two_kernels.fatbin");
    bytes[16 + 41] = static_cast<char>(0x80); // Flags of the first image.
    EXPECT_TRUE(read_fatbins(bytes).value().front().is_compressed);
}

TEST(Fatbin, IsRefusedWhereverItIsCut) {
    const std::string bytes = binary("two_kernels.fatbin");
    for (std::size_t size = 1; size < bytes.size(); size += 61)
        EXPECT_FALSE(read_fatbins(std::string_view{bytes}.substr(0, size))) << size;
}

} // namespace
} // namespace warpbound::assembly

/// \file
/// Code of AMD as text for people.

#include "assembly/amd/code_object.hpp"
#include "assembly/amd/listing.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::assembly::amd {
namespace {

using testing::HasSubstr;

TEST(Listing, HasAddressEncodingTextAndCounter) {
    const auto function = function_of("gfx90a", "global_load_dword v1, v[2:3], off\n"
                                                "s_waitcnt vmcnt(0)\n"
                                                "v_mov_b32 v4, v1");
    ASSERT_TRUE(function);
    const std::string text = listing_of(function.value());
    EXPECT_THAT(text, HasSubstr("; k for gfx90a\n0x0000  dc508000 017f0002  global_load_dword"));
    EXPECT_THAT(text, HasSubstr("; counts in vmcnt\n0x0008  bf8c0f70"));
    EXPECT_THAT(text, HasSubstr("v_mov_b32_e32 v4, v1\n"));
}

TEST(Listing, SaysWhereExecMayBeEmptyAndWhereBranchesLead) {
    const auto function = function_of("gfx90a", "s_and_saveexec_b64 s[0:1], vcc\n"
                                                "v_mov_b32 v4, v1\ns_branch L\nL:\n");
    ASSERT_TRUE(function);
    const std::string text = listing_of(function.value());
    EXPECT_THAT(text, HasSubstr("; EXEC may be empty"));
    EXPECT_THAT(text, HasSubstr("s_branch 0x000c"));
}

TEST(CheckLaunch, RefusesMoreWorkItemsOrScalarRegistersThanTheKernelIsFor) {
    const std::string image = amd_file("gfx90a.hsaco.xz");
    EXPECT_TRUE(check_launch(image, "copy", 256, 64, "mine"));
    const auto large = check_launch(image, "copy", 512, 64, "mine");
    ASSERT_FALSE(large);
    EXPECT_THAT(large.error().what, HasSubstr("compiled for at most 256"));
    EXPECT_FALSE(check_launch(image, "no_such_kernel", 64, 64, "mine"));
    EXPECT_FALSE(check_launch("no code object", "copy", 64, 64, "mine"));
    EXPECT_TRUE(check_scalar_registers("k", Target{0, 0x90a}, 96));
    const auto many = check_scalar_registers("k", Target{0, 0x90a}, 97);
    ASSERT_FALSE(many);
    EXPECT_THAT(many.error().what, HasSubstr("97 SGPRs"));
    EXPECT_FALSE(check_scalar_registers("k", Target{0, 0x906}, 81)); // Of ten wavefronts.
    EXPECT_TRUE(check_scalar_registers("k", Target{0, 0x906}, 80));
    EXPECT_TRUE(check_scalar_registers("k", Target{0, 0x1030}, 106));
}

// C105.
TEST(CheckLaunch, RefusesAnotherModeOfWavefrontsThanIsDescribed) {
    const std::string image = amd_file("gfx1100.hsaco.xz");
    EXPECT_TRUE(check_launch(image, "copy", 256, 32, "mine"));
    const auto wide = check_launch(image, "copy", 256, 64, "mine");
    ASSERT_FALSE(wide);
    EXPECT_THAT(wide.error().what, HasSubstr("wavefronts of 32 lanes, mine describes those of 64"));
    EXPECT_TRUE(check_mode("k", {64, false}, 64, "mine"));
    const auto half = check_mode("k", {32, true}, 32, "mine");
    ASSERT_FALSE(half);
    EXPECT_THAT(half.error().what, HasSubstr("-mno-cumode"));
}

TEST(ReadCodeObject, TakesTheModeOfWavefrontsFromTheDescriptor) {
    const auto kernel_with = [](const std::string& directives) {
        const std::string text = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"\n.text\n.globl k\n"
                                 ".type k,@function\nk:\ns_endpgm\n.size k, .-k\n.rodata\n"
                                 ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n"
                                 ".amdhsa_next_free_sgpr 1\n" +
                                 directives + ".end_amdhsa_kernel\n";
        const auto described = describe_text("test.s", text, std::nullopt);
        const std::string image = llvm_decoder().assemble(described.value()).value();
        return read_code_object(image).value().kernels.at(0);
    };
    EXPECT_FALSE(kernel_with("").in_compute_unit_mode);
    EXPECT_TRUE(kernel_with(".amdhsa_workgroup_processor_mode 0\n").in_compute_unit_mode);
    EXPECT_EQ(kernel_with(".amdhsa_wavefront_size32 1\n").lanes, 32);
    EXPECT_EQ(kernel_with(".amdhsa_wavefront_size32 0\n").lanes, 64);
}

} // namespace
} // namespace warpbound::assembly::amd

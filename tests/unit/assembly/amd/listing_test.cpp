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
    EXPECT_TRUE(check_launch(image, "copy", 256));
    const auto large = check_launch(image, "copy", 512);
    ASSERT_FALSE(large);
    EXPECT_THAT(large.error().what, HasSubstr("compiled for at most 256"));
    EXPECT_FALSE(check_launch(image, "no_such_kernel", 64));
    EXPECT_FALSE(check_launch("no code object", "copy", 64));
    EXPECT_TRUE(check_scalar_registers("k", 96));
    const auto many = check_scalar_registers("k", 97);
    ASSERT_FALSE(many);
    EXPECT_THAT(many.error().what, HasSubstr("97 SGPRs"));
}

} // namespace
} // namespace warpbound::assembly::amd

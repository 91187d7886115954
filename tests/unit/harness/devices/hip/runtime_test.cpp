#include "harness/devices/hip/runtime.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness::hip {
namespace {

TEST(HipRuntime, NamesItsFunctionsInMessages) {
    EXPECT_EQ(name_of_function("cuMemAlloc_v2"), "hipMalloc");
    EXPECT_EQ(name_of_function("cuLaunchKernel"), "hipModuleLaunchKernel");
    EXPECT_EQ(name_of_function("cuLinkCreate_v2"), ""); // It links nothing.
}

// 60241134 is HIP_VERSION_MAJOR 6 * 10^7 + MINOR 2 * 10^5 + PATCH 41134.
TEST(HipRuntime, ReadsItsVersion) {
    EXPECT_EQ(version_text(60241134), "6.2.41134");
    EXPECT_EQ(version_text(50221153), "5.2.21153");
    EXPECT_EQ(version_text(3241), "3241"); // Another form, before HIP 4.
}

TEST(HipAbi, IsComparedWithTheHeaders) {
#ifndef WARPBOUND_TEST_HIP_HEADERS
    GTEST_SKIP() << "no headers of HIP (Debian: libamdhip64-dev) when this was built";
#endif
}

} // namespace
} // namespace warpbound::harness::hip

#include "harness/suite/amd/amd_registers.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

const PtxRegister f8{"f", 8};
const PtxRegister f9{"f", 9};
const PtxRegister fd8{"fd", 8};
const PtxRegister address{"global_by_", 4};

// v0 to v7 are of the code around; pairs begin at an even number.
TEST(AmdRegisters, AreGivenInTheOrderOfUse) {
    AmdRegisters registers;
    ASSERT_TRUE(registers.place({f9}));
    ASSERT_TRUE(registers.place({fd8}));
    ASSERT_TRUE(registers.place({f9}));
    EXPECT_EQ(registers.range_of({f9}).name(), "v8");
    EXPECT_EQ(registers.range_of({fd8}).name(), "v[10:11]");
    EXPECT_EQ(registers.used(), 12);
}

TEST(AmdRegisters, AreConsecutiveForALongAccess) {
    AmdRegisters registers;
    ASSERT_TRUE(registers.place({f8, f9}));
    EXPECT_EQ(registers.range_of({f8, f9}).name(), "v[8:9]");
    EXPECT_EQ(registers.range_of({f9}).name(), "v9");
    AmdRegisters apart;
    ASSERT_TRUE(apart.place({f9}));
    EXPECT_FALSE(apart.place({f8, f9}));
}

TEST(AmdRegisters, HaveAnAddressForEachPage) {
    AmdRegisters registers;
    registers.place_page(address, 0);
    registers.place_page(address, 3);
    registers.place_page(address, 0);
    EXPECT_EQ(registers.page_of(address, 0).name(), "v[8:9]");
    EXPECT_EQ(registers.page_of(address, 3).name(), "v[10:11]");
    EXPECT_EQ(registers.pages().size(), 2U);
}

TEST(AmdRegisters, HaveNoPredicates) {
    AmdRegisters registers;
    EXPECT_FALSE(registers.place({{"p", 1}}));
}

} // namespace
} // namespace warpbound::harness

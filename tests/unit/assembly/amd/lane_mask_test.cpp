#include "assembly/amd/lane_mask.hpp"
#include "assembly/amd/state_registers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace warpbound::assembly::amd {
namespace {

TEST(LaneMask, IsTwoRegistersOf64Lanes) {
    EXPECT_EQ(mask_register("s[4:5]", 64), (Register{RegisterFile::Scalar, 4}));
    EXPECT_EQ(mask_register("vcc", 64),
              (Register{RegisterFile::State, static_cast<int>(StateRegister::VccLo)}));
    for (const char* const other : {"s4", "s[5:6]", "s[4:7]", "vcc_lo", "exec_lo", "v[4:5]", "-1"})
        EXPECT_EQ(mask_register(other, 64), std::nullopt) << other;
}

TEST(LaneMask, IsOneRegisterOf32Lanes) {
    EXPECT_EQ(mask_register("s5", 32), (Register{RegisterFile::Scalar, 5}));
    EXPECT_EQ(mask_register("exec_lo", 32),
              (Register{RegisterFile::State, static_cast<int>(StateRegister::ExecLo)}));
    for (const char* const other : {"s[4:5]", "vcc", "exec", "exec_hi", "v5", "0x5"})
        EXPECT_EQ(mask_register(other, 32), std::nullopt) << other;
}

TEST(MaskOperation, HasTheNameOfGfx9) {
    EXPECT_EQ(mask_operation("s_and_saveexec_b64", 64), "and_saveexec");
    EXPECT_EQ(mask_operation("s_and_not1_saveexec_b32", 32), "andn2_saveexec");
    EXPECT_EQ(mask_operation("s_or_not1_b32", 32), "orn2");
    EXPECT_EQ(mask_operation("s_and_b32", 64), std::nullopt);
    EXPECT_EQ(mask_operation("s_and_b64", 32), std::nullopt);
    EXPECT_EQ(mask_operation("v_and_b32", 32), std::nullopt);
}

} // namespace
} // namespace warpbound::assembly::amd

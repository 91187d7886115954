// Registers that instructions read and write, against what AMD's instruction set manuals say of
// them.
#include "assembly/isa/operand_reader.hpp"
#include "code.hpp"

#include <gtest/gtest.h>

namespace warpbound::assembly::amd {
namespace {

std::string list(const std::vector<Register>& registers) {
    std::string out;
    for (const Register reg : registers)
        out += (out.empty() ? "" : " ") + to_string(reg);
    return out;
}

/// "writes <- reads" of the first instruction.
std::string effects(const std::string& processor, const std::string& text,
                    const std::string& directives = {}) {
    const auto function = function_of(processor, text, directives);
    if (!function) return to_string(function.error());
    const auto& of = function.value().instructions.front().effects;
    return list(of.writes) + " <- " + list(of.reads);
}

TEST(LlvmDecoder, GivesOperandRoles) {
    EXPECT_EQ(effects("gfx906", "v_add_f32_e32 v1, v2, v3"), "v1 <- v2 v3 exec_lo exec_hi mode");
    EXPECT_EQ(effects("gfx906", "v_fma_f64 v[0:1], v[2:3], s[4:5], v[6:7]"),
              "v0 v1 <- v2 v3 v6 v7 s4 s5 exec_lo exec_hi mode");
    EXPECT_EQ(effects("gfx906", "s_load_dwordx4 s[8:11], s[4:5], 0x10"), "s8 s9 s10 s11 <- s4 s5");
    EXPECT_EQ(effects("gfx906", "global_store_dwordx2 v[0:1], v[2:3], off"),
              " <- v0 v1 v2 v3 exec_lo exec_hi");
    EXPECT_EQ(effects("gfx906", "ds_read_b64 v[4:5], v1"), "v4 v5 <- v1 exec_lo exec_hi m0");
    EXPECT_EQ(effects("gfx906", "s_add_u32 s0, s1, s2"), "s0 scc <- s1 s2");
    EXPECT_EQ(effects("gfx906", "s_addc_u32 s0, s1, s2"), "s0 scc <- s1 s2 scc");
    EXPECT_EQ(effects("gfx906", "s_cmp_lt_i32 s3, s4"), "scc <- s3 s4");
}

TEST(LlvmDecoder, NamesImplicitRegisters) {
    EXPECT_EQ(effects("gfx906", "v_cmp_gt_i32_e32 vcc, v0, v1"),
              "vcc_lo vcc_hi <- v0 v1 exec_lo exec_hi");
    EXPECT_EQ(effects("gfx906", "v_cndmask_b32_e32 v0, v1, v2, vcc"),
              "v0 <- v1 v2 exec_lo exec_hi vcc_lo vcc_hi");
    EXPECT_EQ(effects("gfx906", "s_and_saveexec_b64 s[6:7], vcc"),
              "s6 s7 exec_lo exec_hi scc <- exec_lo exec_hi vcc_lo vcc_hi");
    EXPECT_EQ(effects("gfx906", "v_readfirstlane_b32 s3, v5"), "s3 <- v5 exec_lo exec_hi");
    EXPECT_EQ(effects("gfx906", "v_mac_f32_e32 v1, v2, v3"), "v1 <- v1 v2 v3 exec_lo exec_hi mode");
}

TEST(LlvmDecoder, TakesHalfOfTheMasksOfWavefrontsOf32) {
    EXPECT_EQ(effects("gfx1030", "v_cmp_gt_i32_e32 vcc_lo, v0, v1"), "vcc_lo <- v0 v1 exec_lo");
    EXPECT_EQ(effects("gfx1030", "s_and_saveexec_b32 s6, vcc_lo"),
              "s6 exec_lo scc <- exec_lo vcc_lo");
    EXPECT_EQ(effects("gfx1030", "v_cmp_gt_i32_e32 vcc, v0, v1", ".amdhsa_wavefront_size32 0\n"),
              "vcc_lo vcc_hi <- v0 v1 exec_lo exec_hi");
    EXPECT_EQ(effects("gfx1100", "v_add_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo"),
              "v0 vcc_lo <- v1 v2 exec_lo vcc_lo");
}

TEST(LlvmDecoder, KnowsAccumulationRegistersAndPairs) {
    EXPECT_EQ(effects("gfx90a", "v_accvgpr_read_b32 v1, a3"), "v1 <- a3 exec_lo exec_hi");
    EXPECT_EQ(effects("gfx90a", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"),
              "a0 a1 a2 a3 <- v0 v1 a0 a1 a2 a3 exec_lo exec_hi mode");
    EXPECT_EQ(effects("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2"),
              "v0 v3 <- v1 v2 exec_lo");
}

TEST(LlvmDecoder, ReadsTheDestinationOfFormsThatKeepPartOfIt) {
    EXPECT_EQ(effects("gfx906", "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE "
                                "src0_sel:DWORD"),
              "v0 <- v0 v1 exec_lo exec_hi");
    EXPECT_EQ(effects("gfx906", "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf"),
              "v0 <- v0 v1 exec_lo exec_hi");
}

TEST(LlvmDecoder, HasNoMnemonicForWhatIsNoInstruction) {
    const auto decoded =
        llvm_decoder().decode({0, 0x906}, 64, std::string(4, '\xff') + std::string(3, '\0'));
    ASSERT_EQ(decoded.value().size(), 2U);
    EXPECT_EQ(decoded.value()[0].mnemonic, "");
    EXPECT_EQ(decoded.value()[1].bytes, 3);
}

TEST(LlvmDecoder, RefusesTextWithItsPosition) {
    const auto function = function_of("gfx906", "v_add_f32_e32 v1, v2");
    ASSERT_FALSE(function);
    EXPECT_EQ(function.error().where, "test.s");
    EXPECT_EQ(function.error().line, 6);
    const auto other = function_of("gfx906", "s_waitcnt_vscnt null, 0x0");
    ASSERT_FALSE(other) << "an instruction of another processor";
}

} // namespace
} // namespace warpbound::assembly::amd

#include "assembly/amd/exec_mask.hpp"
#include "code.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::assembly::amd {
namespace {

/// Of each moved register "v1", "v2", ..: whether the move is guarded, as a digit.
std::string guarded_moves(const std::string& body, const std::string& processor = "gfx90a") {
    const auto function = function_of(processor, body);
    EXPECT_TRUE(function) << to_string(function.error());
    std::string guarded;
    for (const Instruction& instruction : function.value().instructions)
        if (instruction.mnemonic == "v_mov_b32_e32") guarded += instruction.guard ? '1' : '0';
    return guarded;
}

TEST(ExecGuards, AreNeededWhereNoBranchSkips) {
    EXPECT_EQ(guarded_moves("v_mov_b32 v1, 0\n"
                            "s_and_saveexec_b64 s[0:1], vcc\n"
                            "v_mov_b32 v2, 0\n"
                            "s_or_b64 exec, exec, s[0:1]\n"
                            "v_mov_b32 v3, 0\n"),
              "010");
}

TEST(ExecGuards, AreNotNeededBehindTheBranchThatSkips) {
    EXPECT_EQ(guarded_moves("s_and_saveexec_b64 s[0:1], vcc\n"
                            "s_cbranch_execz L\n"
                            "v_mov_b32 v1, 0\n"
                            "L:\nv_mov_b32 v2, 0\n"
                            "s_or_b64 exec, exec, s[0:1]\n"
                            "v_mov_b32 v3, 0\n"),
              "010");
}

TEST(ExecGuards, AreNotNeededOnEitherSideOfAnIf) {
    EXPECT_EQ(guarded_moves("s_and_saveexec_b64 s[0:1], vcc\n"
                            "s_xor_b64 s[0:1], exec, s[0:1]\n"
                            "s_cbranch_execz Else\n"
                            "v_mov_b32 v1, 0\n"
                            "Else:\n"
                            "s_andn2_saveexec_b64 s[0:1], s[0:1]\n"
                            "s_cbranch_execz End\n"
                            "v_mov_b32 v2, 0\n"
                            "End:\n"
                            "s_or_b64 exec, exec, s[0:1]\n"
                            "v_mov_b32 v3, 0\n"),
              "000");
}

TEST(ExecGuards, AreNotNeededInALoopThatLanesLeave) {
    EXPECT_EQ(guarded_moves("s_mov_b64 s[4:5], 0\n"
                            "L:\nv_mov_b32 v1, 0\n"
                            "s_or_b64 s[4:5], vcc, s[4:5]\n"
                            "s_andn2_b64 exec, exec, s[4:5]\n"
                            "s_cbranch_execnz L\n"
                            "s_or_b64 exec, exec, s[4:5]\n"
                            "v_mov_b32 v2, 0\n"),
              "00");
}

TEST(ExecGuards, AreNeededWhereTheSavedMaskWasOverwritten) {
    EXPECT_EQ(guarded_moves("s_and_saveexec_b64 s[0:1], vcc\n"
                            "s_mov_b32 s1, s2\n"
                            "s_or_b64 exec, exec, s[0:1]\n"
                            "v_mov_b32 v1, 0\n"
                            "s_mov_b64 exec, -1\n"
                            "v_mov_b32 v2, 0\n"),
              "10");
}

TEST(ExecGuards, FollowMasksOfOneRegisterWhereLanesAre32) {
    EXPECT_EQ(guarded_moves("v_mov_b32 v1, 0\n"
                            "s_and_saveexec_b32 s0, vcc_lo\n"
                            "v_mov_b32 v2, 0\n"
                            "s_or_b32 exec_lo, exec_lo, s0\n"
                            "v_mov_b32 v3, 0\n",
                            "gfx1030"),
              "010");
    EXPECT_EQ(guarded_moves("s_mov_b32 s4, 0\n"
                            "L:\nv_mov_b32 v1, 0\n"
                            "s_or_b32 s4, vcc_lo, s4\n"
                            "s_and_not1_b32 exec_lo, exec_lo, s4\n"
                            "s_cbranch_execnz L\n"
                            "s_or_b32 exec_lo, exec_lo, s4\n"
                            "v_mov_b32 v2, 0\n",
                            "gfx1100"),
              "00");
    // The neighbour of a mask is another one.
    EXPECT_EQ(guarded_moves("s_and_saveexec_b32 s0, vcc_lo\n"
                            "s_mov_b32 s1, s2\n"
                            "s_or_b32 exec_lo, exec_lo, s0\n"
                            "v_mov_b32 v1, 0\n"
                            "s_and_saveexec_b32 s0, vcc_lo\n"
                            "s_mov_b32 s0, s2\n"
                            "s_or_b32 exec_lo, exec_lo, s0\n"
                            "v_mov_b32 v2, 0\n",
                            "gfx1030"),
              "01");
}

TEST(ExecGuards, AreNeededWhereAComparisonTakesLanesAway) {
    EXPECT_EQ(guarded_moves("s_mov_b32 s0, exec_lo\n"
                            "v_cmpx_gt_u32_e32 4, v0\n"
                            "v_mov_b32 v1, 0\n"
                            "s_cbranch_execz L\n"
                            "v_mov_b32 v2, 0\n"
                            "L:\ns_or_b32 exec_lo, exec_lo, s0\n"
                            "v_mov_b32 v3, 0\n",
                            "gfx1030"),
              "100");
}

} // namespace
} // namespace warpbound::assembly::amd

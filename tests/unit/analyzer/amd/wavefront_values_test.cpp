// What follows from the registers of wavefronts of AMD (S56).
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::analyzer {
namespace {

using models::CountRange;

/// s[0:1]: the arguments; s2: the work-group; v0: the work-item.
constexpr const char* descriptor = ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
                                   ".amdhsa_user_sgpr_count 2\n"
                                   ".amdhsa_system_vgpr_workitem_id 0\n";

struct Processor {
    const char* name;
    const char* machine;
};
constexpr Processor of_64_lanes{"gfx90a", "cdna2-mi210"};
constexpr Processor of_32_lanes{"gfx1100", "rdna3-7900xtx"};

models::FlowFacts facts_of(const std::string& body, models::Launch launch = {2, 128},
                           const Processor& processor = of_64_lanes) {
    const auto function = assembly::amd::function_of(processor.name, body, descriptor);
    EXPECT_TRUE(function);
    const auto graph = assembly::build_control_flow_graph(function.value());
    EXPECT_TRUE(graph);
    const auto machine = models::load_architecture(processor.machine);
    const auto facts = facts_in_use(function.value(), graph.value(), machine.value(), launch, {});
    EXPECT_TRUE(facts) << to_string(facts.error());
    return facts.value();
}

std::optional<CountRange> transactions(const std::string& body,
                                       const Processor& processor = of_64_lanes) {
    const auto facts = facts_of(body, {2, 128}, processor);
    return facts.memory.empty() ? std::nullopt : facts.memory.front().transactions;
}

std::optional<CountRange> loop(const std::string& body, models::Launch launch = {2, 128},
                               const Processor& processor = of_64_lanes) {
    const auto facts = facts_of(body, std::move(launch), processor);
    if (facts.loops.empty()) return std::nullopt;
    return CountRange{facts.loops.front().min, facts.loops.front().max};
}

const std::string base = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n";

TEST(WavefrontValues, NeighboursShareLinesOf64Bytes) {
    // 256 bytes from an unknown address: 4 lines, or 5.
    const std::string load = "v_lshl_or_b32 v1, s2, 8, v0\nv_lshlrev_b32 v1, 2, v1\n"
                             "global_load_dword v2, v1, s[4:5]\n";
    EXPECT_EQ(transactions(base + load), (CountRange{4, 5}));
    EXPECT_EQ(transactions(base + "v_mov_b32 v1, 0\nglobal_load_dword v2, v1, s[4:5]\n"),
              (CountRange{1, 2})); // One address, perhaps in two lines.
    EXPECT_EQ(transactions(base + "v_lshlrev_b32 v1, 6, v0\nglobal_load_dword v2, v1, s[4:5]\n"),
              (CountRange{64, 65})); // Each reaches into the next line.
}

TEST(WavefrontValues, FewerLanesMayNeedFewerLines) {
    const std::string load = "v_lshlrev_b32 v1, 2, v0\nv_cmp_gt_u32 vcc, s2, v0\n"
                             "s_and_saveexec_b64 s[8:9], vcc\nglobal_load_dword v2, v1, s[4:5]\n"
                             "s_or_b64 exec, exec, s[8:9]\n";
    EXPECT_EQ(transactions(base + load), (CountRange{1, 5}));
}

TEST(WavefrontValues, LanesThatComeBackHoldWhatTheyHeld) {
    const auto behind = [](const std::string& inside) {
        return transactions(base +
                            "v_lshlrev_b32 v1, 2, v0\nv_cmp_gt_u32 vcc, s4, v0\n"
                            "s_and_saveexec_b64 s[8:9], vcc\n" +
                            inside +
                            "s_or_b64 exec, exec, s[8:9]\nglobal_load_dword v2, v1, s[4:5]\n");
    };
    EXPECT_EQ(behind("v_mov_b32 v3, 0\n"), (CountRange{4, 5}));
    EXPECT_EQ(behind("v_mov_b32 v1, 0\n"), std::nullopt);
}

TEST(WavefrontValues, BanksOfLdsAreReadBy32Lanes) {
    const auto degree = [](const std::string& address) {
        return facts_of(address + "ds_read_b32 v2, v1\n").memory.at(0).conflict_degree;
    };
    EXPECT_EQ(degree("v_lshlrev_b32 v1, 2, v0\n"), (CountRange{2, 2}));
    EXPECT_EQ(degree("v_lshlrev_b32 v1, 3, v0\n"), (CountRange{4, 4}));
    EXPECT_EQ(degree("v_mov_b32 v1, 0\n"), (CountRange{2, 2})); // One word for each half.
}

TEST(WavefrontValues, TwoAddressesOfALaneCountBoth) {
    const auto degree = [](const std::string& access) {
        const auto facts = facts_of("v_lshlrev_b32 v1, 2, v0\nv_lshlrev_b32 v5, 3, v0\n" + access);
        return facts.memory.empty() ? std::nullopt : facts.memory.front().conflict_degree;
    };
    EXPECT_EQ(degree("ds_read2_b32 v[2:3], v1 offset1:1\n"), (CountRange{2, 4}));
    EXPECT_EQ(degree("ds_read2st64_b32 v[2:3], v5 offset1:1\n"), (CountRange{4, 8}));
    EXPECT_EQ(degree("ds_read2_b32 v[2:3], v7 offset1:1\n"), std::nullopt);
}

TEST(WavefrontValues, BoundLoopsOfScalarsAndOfLanes) {
    const std::string counted = "s_mov_b32 s8, 0\nL:\ns_add_i32 s8, s8, 2\n"
                                "s_cmp_lt_i32 s8, 9\ns_cbranch_scc1 L\n";
    EXPECT_EQ(loop(counted), (CountRange{5, 5}));
    // The last of work-items 0 to 127 leaves when v1 has reached 200: 0, 8, .. 200.
    const std::string lanes = "v_mov_b32 v1, v0\ns_mov_b64 s[8:9], 0\nL:\nv_add_u32 v1, 8, v1\n"
                              "v_cmp_le_i32 vcc, 0xc8, v1\ns_or_b64 s[8:9], vcc, s[8:9]\n"
                              "s_andn2_b64 exec, exec, s[8:9]\ns_cbranch_execnz L\n";
    const auto range = loop(lanes);
    ASSERT_TRUE(range);
    EXPECT_LE(range->min, 10); // (200 - 127) / 8, rounded up.
    EXPECT_EQ(range->max, 25);
}

TEST(WavefrontValues, TakeArgumentsByTheirOffset) {
    const std::string counted = "s_load_dword s8, s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\nL:\n"
                                "s_add_i32 s8, s8, -1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 L\n";
    EXPECT_EQ(loop(counted), std::nullopt);
    models::Launch launch{2, 128};
    launch.arguments[8] = {7, 32};
    EXPECT_EQ(loop(counted, launch), (CountRange{7, 7}));
    // Another pointer.
    EXPECT_EQ(loop("s_mov_b32 s0, 0\n" + counted, launch), std::nullopt);
}

// s8 is what the first lane has: where it is 3, the others may have other work-items than 0.
TEST(WavefrontValues, WhatTheFirstLaneHoldsSaysNothingOfTheOthers) {
    EXPECT_EQ(loop("v_add_u32 v1, 3, v0\nv_readfirstlane_b32 s8, v1\ns_cmp_eq_u32 s8, 3\n"
                   "s_cbranch_scc0 E\nv_mov_b32 v2, 0\nL:\nv_add_u32 v2, 1, v2\n"
                   "v_cmp_lt_i32 vcc, v2, v0\ns_cbranch_vccnz L\nE:\n"),
              (CountRange{1, 127}));
}

TEST(WavefrontValues, AreNotThoseOfLanesOutsideExec) {
    // EXEC may be empty: then the first lane is one outside it.
    const std::string body = "v_mov_b32 v1, 3\ns_mov_b64 s[8:9], exec\nv_cmp_gt_u32 vcc, s2, v0\n"
                             "s_and_b64 exec, exec, vcc\nv_mov_b32 v1, 5\n"
                             "v_readfirstlane_b32 s8, v1\nL:\ns_add_i32 s8, s8, -1\n"
                             "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 L\n";
    EXPECT_EQ(loop(body), std::nullopt);
}

/// The same in wavefronts of 32 lanes.
std::optional<CountRange> narrow_transactions(const std::string& body) {
    return transactions(body, of_32_lanes);
}
std::optional<CountRange> narrow_loop(const std::string& body) {
    return loop(body, {2, 128}, of_32_lanes);
}

TEST(NarrowWavefrontValues, NeighboursShareLinesOf128Bytes) {
    EXPECT_EQ(narrow_transactions(base + "v_lshl_or_b32 v1, s2, 8, v0\nv_lshlrev_b32 v1, 2, v1\n"
                                         "global_load_b32 v2, v1, s[4:5]\n"),
              (CountRange{1, 2}));
    EXPECT_EQ(narrow_transactions(base + "v_lshlrev_b32 v1, 7, v0\n"
                                         "global_load_b32 v2, v1, s[4:5]\n"),
              (CountRange{32, 33}));
}

TEST(NarrowWavefrontValues, LanesThatComeBackHoldWhatTheyHeld) {
    const auto behind = [](const std::string& inside) {
        return narrow_transactions(base +
                                   "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 s8, exec_lo\n"
                                   "v_cmpx_gt_u32_e32 s4, v0\n" +
                                   inside +
                                   "s_or_b32 exec_lo, exec_lo, s8\n"
                                   "global_load_b32 v2, v1, s[4:5]\n");
    };
    EXPECT_EQ(behind("v_mov_b32 v3, 0\n"), (CountRange{1, 2}));
    EXPECT_EQ(behind("v_mov_b32 v1, 0\n"), std::nullopt);
}

TEST(NarrowWavefrontValues, LanesThatAreTakenAwayMayLeaveNone) {
    // No work-item of 128 has an index above 127.
    const std::string none = "v_cmpx_lt_u32_e32 0x7f, v0\ns_cbranch_execz E\n"
                             "s_mov_b32 s8, 9\nL:\ns_add_i32 s8, s8, -1\n"
                             "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 L\nE:\n";
    EXPECT_FALSE(facts_of(none, {2, 128}, of_32_lanes).nevers.empty());
    const std::string some = "v_cmpx_lt_u32_e32 0x7e" + none.substr(none.find(','));
    EXPECT_TRUE(facts_of(some, {2, 128}, of_32_lanes).nevers.empty());
}

TEST(NarrowWavefrontValues, BoundLoopsOfScalarsAndOfLanes) {
    EXPECT_EQ(narrow_loop("s_mov_b32 s8, 0\nL:\ns_add_i32 s8, s8, 2\n"
                          "s_cmp_lt_i32 s8, 9\ns_cbranch_scc1 L\n"),
              (CountRange{5, 5}));
    const auto range = narrow_loop("v_mov_b32 v1, v0\ns_mov_b32 s8, 0\nL:\n"
                                   "v_add_nc_u32 v1, 8, v1\nv_cmp_le_i32 vcc_lo, 0xc8, v1\n"
                                   "s_or_b32 s8, vcc_lo, s8\ns_and_not1_b32 exec_lo, exec_lo, s8\n"
                                   "s_cbranch_execnz L\n");
    ASSERT_TRUE(range);
    EXPECT_EQ(range->max, 25);
}

TEST(NarrowWavefrontValues, BothOperationsReadBeforeEitherWrites) {
    // v1 = 4 v0 and v2 = 8 change places.
    const auto of = [](const std::string& address) {
        return narrow_transactions(base +
                                   "v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 8\n"
                                   "v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1\n"
                                   "v_lshlrev_b32 v2, 5, v2\nv_lshlrev_b32 v1, 5, v1\n"
                                   "global_load_b32 v4, " +
                                   address + ", s[4:5]\n");
    };
    EXPECT_EQ(of("v1"), (CountRange{1, 2}));
    EXPECT_EQ(of("v2"), (CountRange{32, 33}));
}

TEST(WavefrontValues, BitsOfANumberDifferByLane) {
    // Lanes 0 and 2 get 8192.
    const std::string choose = "v_mov_b32 v3, 0\nv_mov_b32 v4, 0x2000\ns_mov_b32 s8, 5\n";
    EXPECT_NE(transactions(base + choose +
                           "v_cndmask_b32 v5, v3, v4, s[8:9]\n"
                           "global_load_dword v2, v5, s[4:5]\n"),
              (CountRange{1, 2}));
    EXPECT_NE(narrow_transactions(base + choose +
                                  "v_cndmask_b32 v5, v3, v4, s8\n"
                                  "global_load_b32 v2, v5, s[4:5]\n"),
              (CountRange{1, 2}));
}

TEST(WavefrontValues, AtomicsReturnAnotherNumberToEachLane) {
    EXPECT_EQ(transactions(base + "v_mov_b32 v3, 0\nv_mov_b32 v4, 1\n"
                                  "ds_add_rtn_u32 v5, v3, v4\ns_waitcnt lgkmcnt(0)\n"
                                  "global_load_dword v2, v5, s[4:5]\n"),
              std::nullopt);
}

} // namespace
} // namespace warpbound::analyzer

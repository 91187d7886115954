#include "assembly/amd/outstanding.hpp"
#include "assembly/flow/dependences.hpp"
#include "code.hpp"

#include <gtest/gtest.h>

namespace warpbound::assembly::amd {
namespace {

/// "wait: accesses" by index, for each wait.
std::string returned(const std::string& processor, const std::string& body) {
    const auto function = function_of(processor, body);
    if (!function) return to_string(function.error());
    Outstanding outstanding{function.value().target};
    std::string out;
    const auto& instructions = function.value().instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const auto behind = outstanding.step(i, instructions[i]);
        if (!wait_of(instructions[i], function.value().target)) continue;
        out += (out.empty() ? "" : "; ") + std::to_string(i) + ":";
        for (const auto& one : behind)
            out += " " + std::to_string(one.instruction);
    }
    return out;
}

TEST(Outstanding, LoadsReturnInOrder) {
    EXPECT_EQ(returned("gfx906", "global_load_dword v0, v[2:3], off\n"
                                 "global_load_dword v1, v[4:5], off\n"
                                 "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)"),
              "2: 0; 3: 1");
}

TEST(Outstanding, StoresCountWithLoadsBeforeGfx10) {
    const std::string body = "global_store_dword v[2:3], v0, off\n"
                             "global_load_dword v1, v[4:5], off\ns_waitcnt vmcnt(1)";
    EXPECT_EQ(returned("gfx906", body), "2: 0");
    EXPECT_EQ(returned("gfx1030", body), "2:") << "one load, and a store that counts in vscnt";
    EXPECT_EQ(returned("gfx1030", "global_store_dword v[2:3], v0, off\ns_waitcnt_vscnt null, 0x0"),
              "1: 0");
}

TEST(Outstanding, ScalarLoadsReturnOutOfOrder) {
    EXPECT_EQ(returned("gfx906", "s_load_dword s0, s[4:5], 0x0\ns_load_dword s1, s[4:5], 0x4\n"
                                 "s_waitcnt lgkmcnt(1)\ns_waitcnt lgkmcnt(0)"),
              "2:; 3: 0 1");
}

TEST(Outstanding, LdsReturnsInOrderByItself) {
    EXPECT_EQ(returned("gfx906", "ds_read_b32 v0, v2\nds_read_b32 v1, v3\ns_waitcnt lgkmcnt(1)"),
              "2: 0");
    EXPECT_EQ(returned("gfx906", "ds_read_b32 v0, v2\ns_load_dword s0, s[4:5], 0x0\n"
                                 "ds_read_b32 v1, v3\ns_waitcnt lgkmcnt(1)"),
              "3:");
}

TEST(Outstanding, FlatAccessesCountTwiceAndReturnOutOfOrder) {
    EXPECT_EQ(returned("gfx906", "flat_load_dword v0, v[2:3]\nglobal_load_dword v1, v[4:5], off\n"
                                 "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0) lgkmcnt(0)"),
              "2:; 3: 0 1 0");
}

TEST(Outstanding, AtomicsWithAResultCountAsLoads) {
    EXPECT_EQ(returned("gfx1030", "global_atomic_add v0, v[2:3], v4, off glc\n"
                                  "global_atomic_add v[2:3], v4, off\ns_waitcnt vmcnt(0)\n"
                                  "s_waitcnt_vscnt null, 0x0"),
              "2: 0; 3: 1");
}

TEST(Outstanding, AreDependencesOfWaits) {
    const auto function = function_of("gfx906", "global_load_dword v0, v[2:3], off\n"
                                                "s_waitcnt vmcnt(0)\nv_add_u32 v1, v0, v0");
    ASSERT_TRUE(function) << to_string(function.error());
    const auto all = dependences_of(function.value(), 0, 2);
    const auto is = [&](std::size_t producer, std::size_t consumer, DependenceKind kind) {
        return std::any_of(all.begin(), all.end(), [&](const Dependence& one) {
            return one.producer == producer && one.consumer == consumer && one.kind == kind;
        });
    };
    EXPECT_TRUE(is(0, 1, DependenceKind::Scoreboard));
    EXPECT_TRUE(is(0, 2, DependenceKind::ReadAfterWrite));
}

TEST(Outstanding, WritesUnderAnotherMaskDoNotHideEarlierOnes) {
    const auto producers = [](const std::string& between) {
        const auto function = function_of("gfx906", "v_mov_b32 v0, 1\n" + between +
                                                        "\nv_mov_b32 v0, 2\nv_add_u32 v1, v0, v0");
        std::size_t count = 0;
        for (const auto& one : dependences_of(function.value(), 0, 3))
            count += one.consumer == 3 && one.kind == DependenceKind::ReadAfterWrite &&
                     one.reg == Register{RegisterFile::Vector, 0};
        return count;
    };
    EXPECT_EQ(producers("s_mov_b32 s0, 0"), 1U);
    EXPECT_EQ(producers("s_and_saveexec_b64 s[0:1], vcc"), 2U);
}

} // namespace
} // namespace warpbound::assembly::amd

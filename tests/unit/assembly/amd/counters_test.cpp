#include "assembly/amd/counters.hpp"
#include "code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace warpbound::assembly::amd {
namespace {

using testing::HasSubstr;

const Instruction& at(const Function& function, std::size_t index) {
    return function.instructions.at(index);
}

TEST(Counters, AreScoreboards) {
    const auto function = function_of("gfx90a", "s_load_dwordx2 s[0:1], s[4:5], 0x0\n"
                                                "ds_read_b32 v1, v2\n"
                                                "global_load_dword v3, v[4:5], off\n"
                                                "global_store_dword v[4:5], v6, off\n"
                                                "v_add_u32_e32 v0, v1, v2\n"
                                                "s_waitcnt vmcnt(0) lgkmcnt(0)\n");
    ASSERT_TRUE(function) << to_string(function.error());
    EXPECT_EQ(at(function.value(), 0).control->write_barrier, scalar_scoreboard);
    EXPECT_EQ(at(function.value(), 1).control->write_barrier, scalar_scoreboard);
    EXPECT_EQ(at(function.value(), 2).control->write_barrier, vector_scoreboard);
    EXPECT_EQ(at(function.value(), 3).control->write_barrier, vector_scoreboard);
    EXPECT_EQ(at(function.value(), 4).control->write_barrier, std::nullopt);
    EXPECT_EQ(at(function.value(), 5).control->wait_mask, 0b11);
    EXPECT_FALSE(releases_in_order(at(function.value(), 0)));
    EXPECT_TRUE(releases_in_order(at(function.value(), 1)));
    EXPECT_TRUE(releases_in_order(at(function.value(), 3)));
}

TEST(Counters, OfStoresAreApartWhereTheProcessorHasOne) {
    const auto function = function_of("gfx1030", "global_store_dword v[4:5], v6, off\n"
                                                 "s_waitcnt_vscnt null, 0x0\n");
    ASSERT_TRUE(function) << to_string(function.error());
    EXPECT_EQ(at(function.value(), 0).control->write_barrier, store_scoreboard);
    EXPECT_EQ(at(function.value(), 1).control->wait_mask, 1 << store_scoreboard);
}

TEST(Counters, OfMessagesAreCoveredForTheReleaseOfRegistersOnly) {
    const auto function = function_of("gfx1100", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n"
                                                 "s_sendmsg sendmsg(MSG_INTERRUPT)\n");
    ASSERT_TRUE(function) << to_string(function.error());
    ASSERT_TRUE(at(function.value(), 0).control);
    EXPECT_EQ(at(function.value(), 0).control->write_barrier, std::nullopt);
    EXPECT_FALSE(at(function.value(), 1).control);
}

TEST(Counters, OfASleepAreCoveredWhereItEnds) {
    const auto function = function_of("gfx1100", "s_sleep 0\ns_sleep 127\ns_sleep 0x8001\n");
    ASSERT_TRUE(function) << to_string(function.error());
    EXPECT_EQ(units_of_sleep(at(function.value(), 0)), 0);
    EXPECT_EQ(units_of_sleep(at(function.value(), 1)), 127);
    EXPECT_EQ(units_of_sleep(at(function.value(), 2)), std::nullopt);
    EXPECT_TRUE(at(function.value(), 1).control);
    EXPECT_FALSE(at(function.value(), 2).control);
}

// C107: of fields below their largest value; what HOLD_CNT waits for is not documented.
TEST(Counters, OfThePipelineAreScoreboardsOfCodeThatWaitsForThem) {
    const std::string code = "v_add_f32 v0, v1, v2\nglobal_load_dword v3, v[4:5], off\n"
                             "s_load_dword s4, s[0:1], 0x0\n";
    const auto function =
        function_of("gfx1030", code + "s_waitcnt_depctr 0xfff\ns_waitcnt_depctr 0xffe3\n"
                                      "s_waitcnt_depctr 0xfffe\ns_waitcnt_depctr 0xff7f\n"
                                      "s_waitcnt_depctr depctr_vm_vsrc(0)\n");
    ASSERT_TRUE(function) << to_string(function.error());
    EXPECT_EQ(at(function.value(), 0).control->read_barrier, arithmetic_scoreboard);
    EXPECT_EQ(at(function.value(), 1).control->read_barrier, sources_scoreboard);
    EXPECT_EQ(at(function.value(), 2).control->read_barrier, std::nullopt);
    EXPECT_EQ(at(function.value(), 3).control->wait_mask, 1 << arithmetic_scoreboard);
    EXPECT_EQ(at(function.value(), 4).control->wait_mask, 1 << sources_scoreboard);
    EXPECT_EQ(at(function.value(), 5).control->wait_mask, 1 << arithmetic_scoreboard);
    EXPECT_FALSE(at(function.value(), 6).control);
    EXPECT_THAT(objection_to_counters(at(function.value(), 6)), HasSubstr("va_vdst"));
    EXPECT_EQ(at(function.value(), 7).control->wait_mask, 1 << sources_scoreboard);
    const auto without = function_of("gfx1030", code);
    EXPECT_EQ(at(without.value(), 0).control->read_barrier, std::nullopt);
}

TEST(Counters, AreWaitedForUntilACountOrUntilTheyAreClear) {
    const auto function = function_of("gfx90a", "s_waitcnt vmcnt(3) lgkmcnt(0)\n"
                                                "s_waitcnt vmcnt(3) lgkmcnt(2)\n");
    ASSERT_TRUE(function) << to_string(function.error());
    EXPECT_EQ(counted_waits(at(function.value(), 0), function.value().target),
              (std::vector<CountedWait>{{vector_scoreboard, 3}}));
    EXPECT_EQ(at(function.value(), 0).control->wait_mask, 1 << scalar_scoreboard);
    EXPECT_EQ(counted_waits(at(function.value(), 1), function.value().target),
              (std::vector<CountedWait>{{vector_scoreboard, 3}, {scalar_scoreboard, 2}}));
    EXPECT_EQ(at(function.value(), 1).control->wait_mask, 0);
}

TEST(Counters, OfCacheWritebacksAreThoseOfVectorMemory) {
    const auto function =
        function_of("gfx90a", "buffer_wbl2\nbuffer_invl2\nbuffer_wbinvl1_vol\ns_dcache_wb\n");
    ASSERT_TRUE(function) << to_string(function.error());
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(at(function.value(), i).control->write_barrier, vector_scoreboard);
    EXPECT_EQ(at(function.value(), 3).control->write_barrier, scalar_scoreboard);
    EXPECT_TRUE(releases_in_order(at(function.value(), 0)));
    EXPECT_FALSE(releases_in_order(at(function.value(), 3)));
}

TEST(Counters, OfAccessesThatCountTwiceHaveNoScoreboard) {
    const auto function =
        function_of("gfx90a", "flat_load_dword v1, v[2:3]\ns_sleep 0x8001\ns_nop 3\ns_setprio 1\n");
    ASSERT_TRUE(function) << to_string(function.error());
    EXPECT_FALSE(at(function.value(), 0).control);
    EXPECT_THAT(objection_to_counters(at(function.value(), 0)), HasSubstr("two counters"));
    EXPECT_FALSE(at(function.value(), 1).control);
    EXPECT_EQ(at(function.value(), 2).control->stall, 4);
    EXPECT_EQ(at(function.value(), 3).control->stall, 0);
}

} // namespace
} // namespace warpbound::assembly::amd

#include "harness/suite/amd/amd_waits.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpbound::harness {
namespace {

using Vgprs = std::vector<int>;

AmdInstruction instruction_of(AmdCounter counter, bool is_transcendental = false) {
    AmdInstruction instruction;
    instruction.counter = counter;
    instruction.is_transcendental = is_transcendental;
    return instruction;
}

const AmdInstruction load = instruction_of(AmdCounter::Vector);
const AmdInstruction store = instruction_of(AmdCounter::Store);
const AmdInstruction lds_load = instruction_of(AmdCounter::Lds);
const AmdInstruction sum = instruction_of(AmdCounter::None);
const AmdInstruction special = instruction_of(AmdCounter::None, true);

AmdWaits waits_of(int gfx) {
    return AmdWaits{amd_dialect({0, gfx}).value()};
}

// Two loads were issued after that of v8, one after that of v9.
TEST(AmdWaits, LeavesLaterLoadsOutstanding) {
    AmdWaits waits = waits_of(0x90a);
    for (const int vgpr : {8, 9, 10})
        waits.issued(load, Vgprs{vgpr});
    EXPECT_EQ(waits.before(sum, Vgprs{8}, Vgprs{20}), "  s_waitcnt vmcnt(2)\n");
    EXPECT_EQ(waits.before(sum, Vgprs{8}, Vgprs{20}), "");
    EXPECT_EQ(waits.before(sum, Vgprs{10}, Vgprs{20}), "  s_waitcnt vmcnt(0)\n");
    EXPECT_EQ(waits.before(sum, Vgprs{9}, Vgprs{20}), ""); // It came before that of v10.
}

TEST(AmdWaits, WaitsBeforeAResultIsOverwritten) {
    AmdWaits waits = waits_of(0x90a);
    waits.issued(load, Vgprs{8});
    EXPECT_EQ(waits.before(sum, Vgprs{4}, Vgprs{8}), "  s_waitcnt vmcnt(0)\n");
}

TEST(AmdWaits, CountsLdsApart) {
    AmdWaits waits = waits_of(0x90a);
    waits.issued(lds_load, Vgprs{8});
    waits.issued(load, Vgprs{9});
    EXPECT_EQ(waits.before(sum, Vgprs{8, 9}, Vgprs{}),
              "  s_waitcnt vmcnt(0)\n  s_waitcnt lgkmcnt(0)\n");
}

// Before gfx10 stores count with loads, which then may stay outstanding in greater number.
TEST(AmdWaits, CountsStoresWhereTheProcessorDoes) {
    for (const auto& [gfx, text] :
         {std::pair{0x906, "  s_waitcnt vmcnt(1)\n"}, {0x1030, "  s_waitcnt vmcnt(0)\n"}}) {
        AmdWaits waits = waits_of(gfx);
        waits.issued(load, Vgprs{8});
        waits.issued(store, Vgprs{});
        EXPECT_EQ(waits.before(sum, Vgprs{8}, Vgprs{}), text) << gfx;
    }
}

// 62 is the largest count that S_WAITCNT of every processor states beside "none".
TEST(AmdWaits, StatesNoCountThatCannotBeEncoded) {
    AmdWaits waits = waits_of(0x90a);
    for (int vgpr = 8; vgpr < 108; ++vgpr)
        waits.issued(load, Vgprs{vgpr});
    EXPECT_EQ(waits.before(sum, Vgprs{8}, Vgprs{}), "  s_waitcnt vmcnt(62)\n");
}

TEST(AmdWaits, WaitsForSpecialFunctionsWhereNothingElseDoes) {
    for (const auto& [gfx, text] :
         {std::pair{0x90a, ""}, {0x942, "  s_nop 0\n"}, {0x1100, "  s_waitcnt_depctr 0xfff\n"}}) {
        AmdWaits waits = waits_of(gfx);
        waits.issued(special, Vgprs{8});
        EXPECT_EQ(waits.before(special, Vgprs{8}, Vgprs{}), "") << gfx;
        EXPECT_EQ(waits.before(sum, Vgprs{8}, Vgprs{}), text) << gfx;
        EXPECT_EQ(waits.before(sum, Vgprs{8}, Vgprs{}), "") << gfx;
    }
}

} // namespace
} // namespace warpbound::harness

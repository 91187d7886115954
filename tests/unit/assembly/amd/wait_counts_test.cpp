#include "assembly/amd/wait_counts.hpp"

#include <gtest/gtest.h>

namespace warpbound::assembly::amd {
namespace {

// The published fields and values: reference isa 9.2.
TEST(WaitCounts, HaveThePublishedFields) {
    const auto text = [](WaitLayout layout, std::uint16_t bits) {
        return to_string(decode_wait(layout, bits));
    };
    EXPECT_EQ(text(WaitLayout::Gfx9, 0x0f70), "vmcnt(0)");
    EXPECT_EQ(text(WaitLayout::Gfx9, 0xc07f), "lgkmcnt(0)");
    EXPECT_EQ(text(WaitLayout::Gfx9, 0x0123), "vmcnt(3) lgkmcnt(1) expcnt(2)");
    EXPECT_EQ(text(WaitLayout::Gfx9, 0x4174), "vmcnt(20) lgkmcnt(1)");
    EXPECT_EQ(text(WaitLayout::Gfx10, 0x3f70), "vmcnt(0)");
    EXPECT_EQ(text(WaitLayout::Gfx10, 0xc07f), "lgkmcnt(0)");
    EXPECT_EQ(text(WaitLayout::Gfx10, 0x4174), "vmcnt(20) lgkmcnt(1)");
    EXPECT_EQ(text(WaitLayout::Gfx11, 0x03f7), "vmcnt(0)");
    EXPECT_EQ(text(WaitLayout::Gfx11, 0xfc07), "lgkmcnt(0)");
    EXPECT_EQ(text(WaitLayout::Gfx11, 0x0c12), "vmcnt(3) lgkmcnt(1) expcnt(2)");
    EXPECT_EQ(text(WaitLayout::Gfx11, 0x5017), "vmcnt(20) lgkmcnt(1)");
}

TEST(WaitCounts, LeaveOutWhatIsNotWaitedFor) {
    EXPECT_EQ(to_string(decode_wait(WaitLayout::Gfx9, 0xcf7f)), "none");
    EXPECT_EQ(to_string(decode_wait(WaitLayout::Gfx10, 0xff7f)), "none");
    EXPECT_EQ(to_string(decode_wait(WaitLayout::Gfx11, 0xffff)), "none");
}

} // namespace
} // namespace warpbound::assembly::amd

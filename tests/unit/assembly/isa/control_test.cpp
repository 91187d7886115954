#include "assembly/isa/control.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::assembly {
namespace {

using Barrier = std::optional<int>;
constexpr Barrier none = std::nullopt;

/// stall, raw bit 109, write barrier, read barrier, wait mask, reuse.
Control control(int stall, int bit, Barrier write, Barrier read, unsigned wait, unsigned reuse) {
    return {.stall = stall,
            .yield = bit == 0,
            .write_barrier = write,
            .read_barrier = read,
            .wait_mask = static_cast<std::uint8_t>(wait),
            .reuse = static_cast<std::uint8_t>(reuse)};
}

// High words of public listings and of kernels of our own, sm_70 to sm_120, with the fields that
// assemblers print for them.
TEST(VoltaControl, DecodesEveryKnownHighWord) {
    struct Row {
        std::uint64_t high;
        Control expected;
    };
    const std::array rows{
        Row{0x000fc4000000008e, control(2, 0, none, none, 0x00, 0)},
        Row{0x000e240000002100, control(2, 1, 0, none, 0x00, 0)},
        Row{0x001fda0003f05270, control(13, 0, none, none, 0x01, 0)},
        Row{0x000e6e0000002600, control(7, 1, 1, none, 0x00, 0)},
        Row{0x000fea0003800000, control(5, 1, none, none, 0x00, 0)},
        Row{0x000fc00000000000, control(0, 0, none, none, 0x00, 0)},
        Row{0x000fe200078e00ff, control(1, 1, none, none, 0x00, 0)},
        Row{0x002fca000f8e0200, control(5, 0, none, none, 0x02, 0)},
        Row{0x001fe2000c101904, control(1, 1, none, none, 0x01, 0)},
        Row{0x002f22000c1e1900, control(1, 1, 4, none, 0x02, 0)},
        Row{0x000ea200001eed00, control(1, 1, 2, none, 0x00, 0)},
        Row{0x004fe80000000800, control(4, 1, none, none, 0x04, 0)},
        Row{0x000fd80003f06270, control(12, 0, none, none, 0x00, 0)},
        Row{0x001e120000000004, control(9, 0, 0, none, 0x01, 0)},
        Row{0x000fda0003f06270, control(13, 0, none, none, 0x00, 0)},
        Row{0x001e0c0000000004, control(6, 0, 0, none, 0x01, 0)},
        Row{0x008fc80000000000, control(4, 0, none, none, 0x08, 0)},
        Row{0x0003e8000c115904, control(4, 1, none, 1, 0x00, 0)},
        Row{0x006fc80000011406, control(4, 0, none, none, 0x06, 0)},
        Row{0x000e2e0000002100, control(7, 1, 0, none, 0x00, 0)},
        Row{0x0041e20000000800, control(1, 1, none, 0, 0x04, 0)},
        Row{0x041fe200078e00ff, control(1, 1, none, none, 0x01, 1)},
    };
    for (const auto& row : rows)
        EXPECT_EQ(decode_control_volta(row.high), row.expected) << std::hex << row.high;
}

// 3 slots of 21 bits: [3:0] stall, [4] yield (0 = yes), [7:5] write, [10:8] read, [16:11] wait,
// [20:17] reuse.
TEST(MaxwellControl, DecodesTheSlotsOfEveryKnownWord) {
    struct Row {
        std::uint64_t word;
        std::array<Control, 3> expected;
    };
    const std::array rows{
        Row{0x000f8800fe2007f1,
            {control(1, 1, none, none, 0, 0), control(1, 1, none, none, 0, 0),
             control(2, 0, none, 3, 0, 0)}},
        Row{0x001c7c00e22007f6,
            {control(6, 1, none, none, 0, 0), control(1, 1, 0, none, 0, 0),
             control(15, 1, 0, none, 0, 0)}},
        Row{0x001fd840fec20ff1,
            {control(1, 1, none, none, 1, 1), control(6, 1, none, none, 0, 1),
             control(6, 1, none, none, 0, 0)}},
        Row{0x001ff400fd4007ed,
            {control(13, 0, none, none, 0, 0), control(10, 0, none, none, 0, 0),
             control(13, 1, none, none, 0, 0)}},
        Row{0x001ec400f6200fed,
            {control(13, 0, none, none, 1, 0), control(1, 1, 5, none, 0, 0),
             control(1, 1, 5, none, 0, 0)}},
        Row{0x003c4401e3e007bf,
            {control(15, 1, 5, none, 0, 0), control(15, 1, 0, none, 1, 0),
             control(1, 1, 0, none, 1, 0)}},
    };
    for (const auto& row : rows)
        for (int slot = 0; slot < 3; ++slot)
            EXPECT_EQ(decode_control_maxwell(row.word, slot),
                      row.expected[static_cast<std::size_t>(slot)])
                << std::hex << row.word << " slot " << slot;
}

TEST(MaxwellControl, StallZeroIsDualIssueUnlessItYields) {
    // 0x7f0: stall 0, bit 4 set: issues with the next. 0x7e0: stall 0, bit 4 clear: padding.
    EXPECT_TRUE(decode_control_maxwell(0x7f0, 0).dual_issue);
    EXPECT_FALSE(decode_control_maxwell(0x7e0, 0).dual_issue);
}

TEST(KeplerControl, DecodesTheBytesOfEveryKnownWord) {
    struct Row {
        std::uint64_t word;
        std::array<unsigned, 7> bytes;
    };
    constexpr std::array rows{
        Row{0x088cb8b0a0a08cac, {0x2b, 0x23, 0x28, 0x28, 0x2c, 0x2e, 0x23}},
        Row{0x08fcac8010a0a010, {0x04, 0x28, 0x28, 0x04, 0x20, 0x2b, 0x3f}},
        Row{0x0880a0fc10a4a010, {0x04, 0x28, 0x29, 0x04, 0x3f, 0x28, 0x20}},
    };
    for (const auto& row : rows) {
        EXPECT_TRUE(is_control_word_kepler(row.word));
        for (int slot = 0; slot < 7; ++slot) {
            const unsigned byte = row.bytes[static_cast<std::size_t>(slot)];
            Control expected;
            if (byte == 0x04)
                expected.dual_issue = true;
            else
                expected.stall = static_cast<int>(byte - 0x20) + 1; // 0x20|n waits n+1 cycles
            EXPECT_EQ(decode_control_kepler(row.word, slot), expected)
                << std::hex << row.word << " slot " << slot;
        }
    }
}

TEST(KeplerControl, ReadsTheEarlierLayout) {
    // GK104: low nibble 7, high nibble 2, bytes from bit 4. Slot 0 is 0x28: 9 cycles.
    constexpr std::uint64_t word = (std::uint64_t{2} << 60U) | (0x28U << 4U) | 7U;
    const auto decoded = decode_control_kepler(word, 0);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->stall, 9);
}

TEST(KeplerControl, IsNotKnownForOtherWordsAndForBytesOnWhichSourcesDisagree) {
    EXPECT_FALSE(is_control_word_kepler(0xe4800000001c0000));
    EXPECT_EQ(decode_control_kepler(0xe4800000001c0000, 0), std::nullopt);
    for (const unsigned byte : {0x00U, 0x40U, 0x80U, 0xc2U}) {
        const std::uint64_t word = (std::uint64_t{8} << 56U) | (std::uint64_t{byte} << 2U);
        EXPECT_EQ(decode_control_kepler(word, 0), std::nullopt) << byte;
    }
}

} // namespace
} // namespace warpbound::assembly

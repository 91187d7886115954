// NVIDIA occupancy. Rows without a note: cuda_occupancy.h of CUDA 13, compiled and run, with the
// largest carve-out and barriers that do not limit (reference models 8.1). Tolerance 0.
#include "models/formulas/occupancy.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models::occupancy {
namespace {

constexpr auto capabilities =
    std::to_array<const char*>({"5.2", "6.0", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0"});

struct Row {
    std::int64_t threads;
    std::int64_t registers;
    std::int64_t dynamic;            ///< `Unit:` bytes.
    std::int64_t registers_of_block; ///< Column "regs/block".
    std::array<std::int64_t, capabilities.size()> blocks;
};
constexpr auto golden = std::to_array<Row>({
    {256, 8, 0, 2048, {8, 8, 8, 4, 8, 6, 6, 8}},
    {256, 16, 0, 4096, {8, 8, 8, 4, 8, 6, 6, 8}},
    {256, 33, 0, 10240, {6, 6, 6, 4, 6, 6, 6, 6}},
    {96, 33, 0, 3840, {16, 16, 16, 10, 16, 16, 16, 16}},
    {224, 57, 0, 14336, {4, 4, 4, 4, 4, 4, 4, 4}},
    {128, 64, 8192, 8192, {8, 8, 8, 8, 8, 8, 8, 8}},
    {1024, 32, 0, 32768, {2, 2, 2, 1, 2, 1, 1, 2}},
    {1024, 64, 0, 65536, {1, 1, 1, 1, 1, 1, 1, 1}},
    {256, 40, 20000, 10240, {4, 3, 4, 3, 6, 4, 4, 6}},
    {64, 128, 0, 8192, {8, 8, 8, 8, 8, 8, 8, 8}},
    {32, 32, 3072, 1024, {32, 21, 32, 16, 32, 16, 24, 32}},
    {192, 255, 0, 49152, {1, 1, 1, 1, 1, 1, 1, 1}},
});

TEST(OccupancyGoldenRows, AreReproduced) {
    for (const auto& row : golden)
        for (std::size_t column = 0; column < capabilities.size(); ++column) {
            SCOPED_TRACE(std::string{"CC "} + capabilities.at(column) + ", " +
                         std::to_string(row.threads) + " threads, " +
                         std::to_string(row.registers) + " registers");
            const auto limits = limits_of(capabilities.at(column));
            ASSERT_TRUE(limits);
            const auto found = resident({.threads = row.threads,
                                         .registers_per_thread = row.registers,
                                         .shared_memory = row.dynamic},
                                        limits.value());
            ASSERT_TRUE(found) << to_string(found.error());
            EXPECT_EQ(found.value().blocks, row.blocks.at(column));
            EXPECT_EQ(found.value().warps, row.blocks.at(column) * ((row.threads + 31) / 32));
            EXPECT_EQ(found.value().registers_of_block, row.registers_of_block);
        }
}

// Gajger 2017, Fig. 4.2 (16 registers) and Figs. 5.3, 5.4 (saxpy2, 8 registers): CC 5.2, 256
// threads, 8 blocks, 64 warps, 100 %.
TEST(OccupancyGajger, FillsTheMultiprocessor) {
    for (const std::int64_t registers : {16, 8}) {
        const auto found =
            resident({.threads = 256, .registers_per_thread = registers}, limits_of("5.2").value());
        ASSERT_TRUE(found);
        EXPECT_EQ(found.value().blocks, 8);
        EXPECT_EQ(found.value().warps, 64);
        EXPECT_EQ(found.value().warps * 32, 2048);
        EXPECT_EQ(found.value().fraction, 1.0);
    }
}

struct CapabilityRow {
    const char* capability;
    std::int64_t blocks;
    std::int64_t warps;
    std::int64_t registers;
    std::int64_t unit;
    std::int64_t partitions;
    std::int64_t per_thread;
    std::int64_t shared_kib;
    std::int64_t shared_unit;
    std::int64_t reserved;
};
// The table of capabilities (reference models 8.1). CC 7.0: the header has 256 registers per
// thread where the guide has 255; 255 is the encodable number and is taken.
constexpr auto capability_rows = std::to_array<CapabilityRow>({
    {"2.0", 8, 48, 32768, 64, 2, 63, 48, 128, 0},
    {"2.1", 8, 48, 32768, 64, 2, 63, 48, 128, 0},
    {"3.0", 16, 64, 65536, 256, 4, 63, 48, 256, 0},
    {"3.5", 16, 64, 65536, 256, 4, 255, 48, 256, 0},
    {"3.7", 16, 64, 131072, 256, 4, 255, 112, 256, 0},
    {"5.0", 32, 64, 65536, 256, 4, 255, 64, 256, 0},
    {"5.2", 32, 64, 65536, 256, 4, 255, 96, 256, 0},
    {"5.3", 32, 64, 65536, 256, 4, 255, 64, 256, 0},
    {"6.0", 32, 64, 65536, 256, 2, 255, 64, 256, 0},
    {"6.1", 32, 64, 65536, 256, 4, 255, 96, 256, 0},
    {"6.2", 32, 64, 65536, 256, 4, 255, 64, 256, 0},
    {"7.0", 32, 64, 65536, 256, 4, 255, 96, 256, 0},
    {"7.2", 32, 64, 65536, 256, 4, 255, 96, 256, 0},
    {"7.5", 16, 32, 65536, 256, 4, 255, 64, 256, 0},
    {"8.0", 32, 64, 65536, 256, 4, 255, 164, 128, 1024},
    {"8.6", 16, 48, 65536, 256, 4, 255, 100, 128, 1024},
    {"8.7", 16, 48, 65536, 256, 4, 255, 164, 128, 1024},
    {"8.9", 24, 48, 65536, 256, 4, 255, 100, 128, 1024},
    {"9.0", 32, 64, 65536, 256, 4, 255, 228, 128, 1024},
    {"10.0", 32, 64, 65536, 256, 4, 255, 228, 128, 1024},
    {"12.0", 24, 48, 65536, 256, 4, 255, 100, 128, 1024},
    {"12.1", 24, 48, 65536, 256, 4, 255, 100, 128, 1024},
});

TEST(OccupancyCapabilities, AreThoseOfTheTable) {
    for (const auto& row : capability_rows) {
        SCOPED_TRACE(row.capability);
        const auto found = limits_of(row.capability);
        ASSERT_TRUE(found);
        const Limits& limits = found.value();
        EXPECT_EQ(limits.blocks, row.blocks);
        EXPECT_EQ(limits.warps, row.warps);
        EXPECT_EQ(limits.registers, row.registers);
        EXPECT_EQ(limits.register_unit, row.unit);
        EXPECT_EQ(limits.register_partitions, row.partitions);
        EXPECT_EQ(limits.registers_per_thread, row.per_thread);
        EXPECT_EQ(limits.shared_memory, row.shared_kib * 1024);
        EXPECT_EQ(limits.shared_unit, row.shared_unit);
        EXPECT_EQ(limits.shared_reserved, row.reserved);
    }
}

// Shared memory a block may have, as printed in the table: 163, 99 and 227 KB.
TEST(OccupancyCapabilities, HaveThePublishedSharedMemoryPerBlock) {
    EXPECT_EQ(limits_of("8.0").value().shared_per_block, 163 * 1024);
    EXPECT_EQ(limits_of("8.9").value().shared_per_block, 99 * 1024);
    EXPECT_EQ(limits_of("9.0").value().shared_per_block, 227 * 1024);
}

// CC 2.x allocates in units of 128 registers at 21, 22, 29, 30, 37, 38, 45 and 46 per thread
// (header of CUDA 8): 20 -> 640, 21 -> 672 -> 768 (in units of 64 it would be 704), 23 -> 768.
TEST(OccupancyFermi, AllocatesSomeCountsInUnitsOf128) {
    const auto limits = limits_of("2.0").value();
    const auto of_warp = [&](std::int64_t registers) {
        return resident({.threads = 32, .registers_per_thread = registers}, limits)
            .value()
            .registers_of_block;
    };
    EXPECT_EQ(of_warp(20), 640);
    for (const std::int64_t registers : {21, 29, 37, 45})
        EXPECT_EQ(of_warp(registers), (registers * 32 + 127) / 128 * 128) << registers;
    for (const std::int64_t registers : {22, 30, 38, 46})
        EXPECT_EQ(of_warp(registers), (registers * 32 + 127) / 128 * 128) << registers;
    EXPECT_EQ(of_warp(25), 832); // 800 in units of 64; 896 in units of 128.
}

// Barrier rule: 2 * blocks / barriers on 5.x to 7.x, 8.0 and 9.0; blocks / barriers on 8.6, 8.9
// and 12.x.
TEST(OccupancyBarriers, FollowTheRuleOfTheGeneration) {
    const auto blocks = [](const char* capability, std::int64_t barriers) {
        return resident({.threads = 32, .named_barriers = barriers}, limits_of(capability).value())
            .value()
            .blocks;
    };
    EXPECT_EQ(blocks("9.0", 16), 4);  // 2 * 32 / 16
    EXPECT_EQ(blocks("7.5", 16), 2);  // 2 * 16 / 16
    EXPECT_EQ(blocks("8.6", 16), 1);  // 16 / 16
    EXPECT_EQ(blocks("8.9", 5), 4);   // 24 / 5
    EXPECT_EQ(blocks("12.0", 16), 1); // 24 / 16
}

// Carve-outs of reference models 8.1, KiB. Tolerance 0.
TEST(CarveOuts, AreThoseOfTheHeader) {
    const auto kib_of = [](const char* capability) {
        auto sizes = carve_outs(capability).value();
        for (std::int64_t& size : sizes)
            size /= 1024;
        return sizes;
    };
    using Sizes = std::vector<std::int64_t>;
    EXPECT_EQ(kib_of("7.0"), (Sizes{0, 8, 16, 32, 64, 96}));
    EXPECT_EQ(kib_of("7.5"), (Sizes{32, 64}));
    for (const char* capability : {"8.0", "8.7"})
        EXPECT_EQ(kib_of(capability), (Sizes{0, 8, 16, 32, 64, 100, 132, 164})) << capability;
    for (const char* capability : {"8.6", "8.9", "12.0", "12.1"})
        EXPECT_EQ(kib_of(capability), (Sizes{0, 8, 16, 32, 64, 100})) << capability;
    for (const char* capability : {"9.0", "10.0"})
        EXPECT_EQ(kib_of(capability), (Sizes{0, 8, 16, 32, 64, 100, 132, 164, 196, 228}))
            << capability;
    EXPECT_FALSE(carve_outs("3.5"));
}

// Constructed: 8192 bytes and 1 KiB reserved are 9216 for each block; 65536 / 9216 = 7, and
// 102400 / 9216 = 11.
TEST(CarveOuts, LimitTheBlocks) {
    const Block block{.threads = 32, .registers_per_thread = 16, .shared_memory = 8192};
    const auto blocks = [&block](std::int64_t carve_out) {
        return resident(block, limits_with_carve_out("8.6", carve_out * 1024).value())
            .value()
            .blocks;
    };
    EXPECT_EQ(blocks(64), 7);
    EXPECT_EQ(blocks(100), 11);
    EXPECT_EQ(blocks(0), 0);
    EXPECT_FALSE(limits_with_carve_out("8.6", 48 * 1024));
    const auto sizes = carve_outs("8.6").value();
    EXPECT_EQ(limits_of("8.6").value().shared_memory, sizes.back());
}

} // namespace
} // namespace warpbound::models::occupancy

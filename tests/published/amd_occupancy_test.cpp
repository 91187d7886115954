// AMD occupancy by LLVM's AMDGPUBaseInfo.cpp (reference models 8.2). The table gives capacities and
// rules, not worked examples; the expected waves are computed from them by hand. Tolerance 0.
#include "models/formulas/amd_occupancy.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models::amd_occupancy {
namespace {

std::int64_t waves_per_simd(Family family, std::int64_t wave_size, std::int64_t vector,
                            std::int64_t scalar) {
    const auto limits = limits_of(family, wave_size, false).value();
    const WorkGroup group{
        .threads = wave_size, .vector_registers = vector, .scalar_registers = scalar};
    return resident(group, limits).value().waves_per_simd;
}

struct VectorRow {
    Family family;
    std::int64_t wave_size;
    std::int64_t registers;
    std::int64_t waves;
};
constexpr auto vector_rows = std::to_array<VectorRow>({
    {Family::Gcn1, 64, 24, 10},       // 256 / 24 = 10
    {Family::Gcn1, 64, 25, 9},        // allocated 28; 256 / 28 = 9
    {Family::Gcn2, 64, 84, 3},        // 256 / 84 = 3
    {Family::Gcn3ToGcn5, 64, 128, 2}, // 256 / 128
    {Family::Gcn3ToGcn5, 64, 129, 1}, // allocated 132
    {Family::Gcn3ToGcn5, 64, 256, 1}, // 256 / 256
    {Family::Cdna2And3, 64, 64, 8},   // 512 / 64 = 8, the most
    {Family::Cdna2And3, 64, 65, 7},   // allocated 72; 512 / 72 = 7
    {Family::Cdna2And3, 64, 512, 1},  // unified: vector and accumulation registers
    {Family::Cdna4, 64, 16, 8},       // 512 / 16 = 32, at most 8
    {Family::Rdna1, 32, 51, 18},      // allocated 56; 1024 / 56 = 18
    {Family::Rdna1, 32, 48, 20},      // 1024 / 48 = 21, at most 20
    {Family::Rdna1, 64, 51, 9},       // allocated 52; 512 / 52 = 9
    {Family::Rdna2, 32, 65, 12},      // allocated 80; 1024 / 80 = 12
    {Family::Rdna2, 64, 65, 7},       // allocated 72; 512 / 72 = 7
    {Family::Rdna3Large, 32, 97, 12}, // allocated 120; 1536 / 120 = 12
    {Family::Rdna3Large, 32, 96, 16}, // 1536 / 96
    {Family::Rdna3Large, 64, 100, 7}, // allocated 108; 768 / 108 = 7
});

TEST(AmdOccupancy, FollowsTheVectorRegisters) {
    for (const auto& row : vector_rows)
        EXPECT_EQ(waves_per_simd(row.family, row.wave_size, row.registers, 0), row.waves)
            << limits_of(row.family, row.wave_size, false).value().name << ", " << row.registers;
}

struct ScalarRow {
    Family family;
    std::int64_t registers;
    std::int64_t waves;
};
// GCN3 and later: to 80 10, to 88 9, to 100 8, else 7. GCN1 and 2: to 48 10, 56 9, 64 8, 72 7, 80
// 6, else 5.
constexpr auto scalar_rows = std::to_array<ScalarRow>({
    {Family::Gcn3ToGcn5, 80, 10},
    {Family::Gcn3ToGcn5, 81, 9},
    {Family::Gcn3ToGcn5, 88, 9},
    {Family::Gcn3ToGcn5, 89, 8},
    {Family::Gcn3ToGcn5, 100, 8},
    {Family::Gcn3ToGcn5, 101, 7},
    {Family::Gcn1, 48, 10},
    {Family::Gcn1, 49, 9},
    {Family::Gcn1, 56, 9},
    {Family::Gcn2, 64, 8},
    {Family::Gcn2, 72, 7},
    {Family::Gcn2, 80, 6},
    {Family::Gcn2, 81, 5},
    {Family::Cdna2And3, 80, 8},
    {Family::Cdna2And3, 102, 7},
    {Family::Rdna1, 106, 20},
    {Family::Rdna2, 106, 16},
});

TEST(AmdOccupancy, FollowsTheScalarRegisters) {
    for (const auto& row : scalar_rows)
        EXPECT_EQ(waves_per_simd(row.family, 64, 0, row.registers), row.waves)
            << limits_of(row.family, 64, false).value().name << ", " << row.registers;
}

struct LocalRow {
    Family family;
    bool work_group_processor;
    std::int64_t bytes;
    std::int64_t work_groups;
};
constexpr auto local_rows = std::to_array<LocalRow>({
    {Family::Gcn1, false, 4097, 15},      // allocated 4352; 65536 / 4352 = 15
    {Family::Gcn2, false, 4097, 14},      // allocated 4608; 65536 / 4608 = 14
    {Family::Cdna2And3, false, 16384, 4}, // 65536 / 16384
    {Family::Cdna4, false, 16384, 9},     // allocated 16640; 163840 / 16640 = 9
    {Family::Rdna2, false, 8193, 7},      // allocated 9216 (encoded 8704); 65536 / 9216 = 7
    {Family::Rdna2, true, 8193, 14},      // 131072 / 9216
});

TEST(AmdOccupancy, FollowsTheLocalMemory) {
    for (const auto& row : local_rows) {
        const auto limits = limits_of(row.family, 64, row.work_group_processor).value();
        const WorkGroup group{.threads = 64, .local_memory = row.bytes};
        EXPECT_EQ(resident(group, limits).value().work_groups, row.work_groups) << limits.name;
    }
}

// 16 barriers per compute unit, 32 per work-group processor; groups of one wave need none.
TEST(AmdOccupancy, GivesEveryGroupOfSeveralWavesABarrier) {
    const auto groups = [](Family family, bool processor, std::int64_t threads) {
        return resident({.threads = threads}, limits_of(family, 64, processor).value())
            .value()
            .work_groups;
    };
    EXPECT_EQ(groups(Family::Gcn2, false, 128), 16); // 40 waves would be 20 groups.
    EXPECT_EQ(groups(Family::Gcn2, false, 64), 40);
    EXPECT_EQ(groups(Family::Rdna1, true, 128), 32); // 80 waves would be 40 groups.
}

} // namespace
} // namespace warpbound::models::amd_occupancy

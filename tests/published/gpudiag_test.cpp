// GPUDIAG: H.-J. Kim, thesis, Seoul National University, 2023 (K23), sections 3.1 and 3.2. The
// thesis prints correlations only (0.992 on a T4, 0.984 on a V520, which need the machines); these
// rows are constructed from its equations with one unit, t = 2, m = 1, s = 4, and P_1 = 8
// (reference models 2). Tolerance 0: all numbers are exact in binary.
#include "models/formulas/gpudiag.hpp"
#include "models/formulas/gpudiag_slots.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models::gpudiag {
namespace {

Mix one_unit() {
    return {.units = {{.name = "alu", .inverse_throughput = 2, .units_per_group = 1, .groups = 4}},
            .period = 8};
}

TEST(GpudiagEquation36, IsConstantUntilTheUnitIsFull) {
    const auto fu = relative_times(one_unit(), 24).value();
    for (std::size_t warps = 1; warps <= 16; ++warps)
        EXPECT_EQ(fu[warps], 1) << warps;
    for (std::size_t warps = 17; warps <= 20; ++warps)
        EXPECT_EQ(fu[warps], 1.25) << warps;
    for (std::size_t warps = 21; warps <= 24; ++warps)
        EXPECT_EQ(fu[warps], 1.5) << warps;
}

// Erratum: eq. 3.6 read literally gives fu(0) = 1, and T(4) of the rows below would be 3.
TEST(GpudiagEquation36, GivesNoTimeToNoWarp) {
    EXPECT_EQ(relative_times(one_unit(), 0).value(), std::vector<double>{0});
}

TEST(GpudiagEquation37, GivesTheThroughputByBothMethods) {
    EXPECT_EQ(bottleneck(one_unit()).value().throughput.value(), 2); // m s / t
    const auto fu = relative_times(one_unit(), 64).value();
    EXPECT_EQ(throughput(fu, 8).value().value(), 2); // max c / fu(c), over P_1
}

TEST(GpudiagEquation32, GivesTheWavesOfBlocks) {
    constexpr auto published = std::to_array<double>({1, 1, 1.5, 2, 3, 3, 3.5, 4, 5});
    const auto fu = relative_times(one_unit(), 32).value();
    for (std::size_t blocks = 1; blocks <= published.size(); ++blocks)
        EXPECT_EQ(waves_time(static_cast<std::int64_t>(blocks), 8, 4, fu).value().value(),
                  published.at(blocks - 1))
            << blocks;
}

// The same nine rows end to end, on two multiprocessors and in cycles: 2 g blocks of 256 threads
// take T(g) * 8 * 100.
TEST(GpudiagEquation32, GivesTheTimeOfAKernel) {
    constexpr auto published = std::to_array<double>({1, 1, 1.5, 2, 3, 3, 3.5, 4, 5});
    for (std::size_t blocks = 1; blocks <= published.size(); ++blocks) {
        const Execution execution{
            .launch = {.blocks = 2 * static_cast<std::int64_t>(blocks), .threads = 256},
            .multiprocessors = 2,
            .slots = 4,
            .periods = 100};
        const auto found = kernel_time(execution, one_unit());
        ASSERT_TRUE(found) << to_string(found.error());
        EXPECT_EQ(found.value().relative.value(), published.at(blocks - 1)) << blocks;
        EXPECT_EQ(found.value().time.value(), 800 * published.at(blocks - 1)) << blocks;
    }
}

// Eq. 3.3 as printed leaves out the warps of a block in the register term, eq. 3.11 has them: 4
// warps of 32 * 33 = 1056 registers in units of 256 are 5120, and 65536 / 5120 = 12. As printed it
// would be 65536 / 1280 = 51.
TEST(GpudiagEquation33, CountsTheRegistersOfAllWarps) {
    SlotLimits limits{.blocks = 32, .warps = 64};
    limits.registers = {{.name = "vector", .capacity = 65536, .granularity = 256}};
    const auto found = slots({.threads = 128, .registers = {1056}}, limits);
    EXPECT_EQ(found.value().by_registers.at(0), 12);
    EXPECT_EQ(found.value().slots, 12);
}

} // namespace
} // namespace warpbound::models::gpudiag

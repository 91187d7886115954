// GPUMech: J.-C. Huang et al., MICRO 2014, conference slides (H14). The slide with the formula of
// greedy-then-oldest prints min(.., 0), which would never be positive: a misprint for max. The
// published accuracy (13.2 % round robin, 14.0 % greedy-then-oldest over 40 kernels) needs the
// kernels and is quoted only.
#include "models/formulas/gpumech.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace warpbound::models::gpumech {
namespace {

Prediction toy(std::int64_t stall, Policy policy, IssueProbability probability) {
    const std::vector<Interval> intervals{{.instructions = 3, .stall = Cycles{stall}}};
    return predict(intervals,
                   {.policy = policy, .probability = probability, .warps = 4, .issue_rate = 1},
                   std::nullopt)
        .value();
}

struct ToyRow {
    std::int64_t stall;
    double round_robin_simulated;
    double round_robin_one;
    double round_robin_average;
    double greedy_simulated;
    double greedy;
};
// W = 4, I = 3, issue rate 1 (constructed, reference models 5.3): cycles per interval. Tolerance 0;
// 1e-12 where a third is not exact. The average probability errs short, 1 does not.
constexpr auto toy_rows = std::to_array<ToyRow>(
    {{6, 15, 15, 11, 12, 12}, {12, 21, 21, 16.2, 15, 15}, {18, 27, 27, 21 + 6.0 / 7, 21, 21}});

TEST(GpumechToy, HasTheCyclesPerInterval) {
    for (const auto& row : toy_rows) {
        SCOPED_TRACE("stall " + std::to_string(row.stall));
        const auto cycles = [&](Policy policy, IssueProbability probability) {
            return toy(row.stall, policy, probability).multithreaded_cycles;
        };
        EXPECT_EQ(cycles(Policy::RoundRobin, IssueProbability::One), row.round_robin_one);
        // S = 6 gives 11, but that is an IPC of 12/11: the model clips it to the issue rate, 12.
        EXPECT_NEAR(cycles(Policy::RoundRobin, IssueProbability::Average),
                    std::max(row.round_robin_average, 12.0), 1e-12);
        EXPECT_NEAR(3 + static_cast<double>(row.stall) +
                        toy(row.stall, Policy::RoundRobin, IssueProbability::Average).nonhiding,
                    row.round_robin_average, 1e-12);
        EXPECT_EQ(cycles(Policy::GreedyThenOldest, IssueProbability::Average), row.greedy);
    }
}

/// Cycles per interval of four warps that repeat three instructions and a stall, one issue per
/// cycle, over a window of 200 rounds.
double simulated(std::int64_t stall, bool greedy) {
    std::array<std::int64_t, 4> ready{};
    std::array<int, 4> issued{};
    std::int64_t total = 0;
    std::size_t last = 3;
    const std::int64_t window = 200 * (12 + stall);
    for (std::int64_t now = 0; now < window; ++now) {
        for (std::size_t step = 0; step < 4; ++step) {
            // Greedy: the last warp, then the oldest; otherwise round robin after the last.
            const std::size_t candidate = !greedy     ? (last + 1 + step) % 4
                                          : step == 0 ? last
                                                      : step - (step <= last ? 1 : 0);
            if (ready.at(candidate) > now) continue;
            ++total;
            last = candidate;
            issued.at(candidate) = (issued.at(candidate) + 1) % 3;
            ready.at(candidate) = now + 1 + (issued.at(candidate) == 0 ? stall : 0);
            break;
        }
    }
    return 12.0 * static_cast<double>(window) / static_cast<double>(total);
}

// The simulated columns of the same table. Tolerance: one round of start-up in 200.
TEST(GpumechToy, HasTheSimulatedCyclesPerInterval) {
    for (const auto& row : toy_rows) {
        EXPECT_NEAR(simulated(row.stall, false), row.round_robin_simulated,
                    row.round_robin_simulated / 100)
            << row.stall;
        EXPECT_NEAR(simulated(row.stall, true), row.greedy_simulated, row.greedy_simulated / 100)
            << row.stall;
    }
}

// The slide example, S = 18: 2 waiting slots of 3 other warps are 6 instructions; multithreaded IPC
// 12/27 = 0.444, CPI 2.25. The naive IPC 12/(18 + 3) = 0.571 rests on reading the labels "12" and
// "18+3" as instructions and cycles (inferred). Tolerance: printed digits.
TEST(GpumechSlideExample, HasNonhidingInstructionsAndIpc) {
    const auto found = toy(18, Policy::RoundRobin, IssueProbability::One);
    EXPECT_EQ(found.nonhiding, 6);
    EXPECT_EQ(found.single_warp_cycles, 21);
    EXPECT_NEAR(4 * found.single_warp_instructions / found.single_warp_cycles, 0.571, 0.0005);
    EXPECT_NEAR(1 / found.cpi.value(), 0.444, 0.0005);
    EXPECT_EQ(found.cpi.value(), 2.25);
}

struct MshrRow {
    std::int64_t requests;
    std::int64_t registers;
    double occupancy;
};
// Slides 21 and 22, and (128, 32) constructed. Tolerance 0.
TEST(GpumechMshr, HasTheExpectedOccupancy) {
    constexpr auto table = std::to_array<MshrRow>({{8, 4, 1.5}, {4, 4, 1}, {128, 32, 2.5}});
    for (const auto& row : table)
        EXPECT_EQ(mshr_occupancy(row.requests, row.registers).value(), row.occupancy)
            << row.requests;
}

// The formula as printed has no ceiling: (8, 4) would give 1.125 where the picture on slide 22
// shows the extra rounds 0, 0, 0, 0, 1, 1, 1, 1, mean 0.5. The ceiling is taken.
TEST(GpumechMshr, TakesTheCeilingOfThePicture) {
    double without_ceiling = 0;
    for (int j = 1; j <= 8; ++j)
        without_ceiling += j / 4.0 / 8;
    EXPECT_EQ(without_ceiling, 1.125);
    EXPECT_EQ(mshr_occupancy(8, 4).value() - 1, 0.5);
    EXPECT_EQ(mshr_rounds(8, 4).value(), 2);
}

// Average miss latency of the re-implementations, 120 (1 - m) + 220 m, as L2 + m DRAM. Tolerance:
// rounding.
TEST(GpumechMshr, AveragesTheMissLatency) {
    for (const double miss_rate : {0.0, 0.25, 1.0})
        EXPECT_DOUBLE_EQ(miss_latency(120, miss_rate, 100).value(),
                         120 * (1 - miss_rate) + 220 * miss_rate);
}

// DRAM (constructed from reference models 5.5): 1 GHz, 128-byte lines, 64 GB/s: s = 2 cycles. 100
// requests in 400 cycles: utilisation 0.5, 0.25 * 4 / (2 * 0.5) = 1 cycle. 300 requests saturate:
// 300 * 2 / 2. At 199 of 200 the queue would be 199, the bulk is 199. Tolerance: rounding.
TEST(GpumechDram, QueuesBelowAndAboveSaturation) {
    const Dram dram{.clock = 1e9, .line_bytes = 128, .bandwidth = 64e9};
    EXPECT_DOUBLE_EQ(dram_delay(100, 400, dram).value().value(), 1);
    EXPECT_DOUBLE_EQ(dram_delay(300, 400, dram).value().value(), 300);
    EXPECT_DOUBLE_EQ(dram_delay(200, 400, dram).value().value(), 200);
    EXPECT_NEAR(dram_delay(199, 400, dram).value().value(), 199, 1e-9);
    // 199.9: M/D/1 would be 1999, more than the bulk.
    EXPECT_NEAR(dram_delay(199.9, 400, dram).value().value(), 199.9, 1e-9);
}

} // namespace
} // namespace warpbound::models::gpumech

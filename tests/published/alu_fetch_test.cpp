// R. Taylor, X. Li, A Micro-benchmark Suite for AMD GPUs, ICPP Workshops 2010 (T10). The paper
// gives ratios, counts and crossovers; its execution times are plots without numbers, so of them
// only the orderings are rows.
#include "models/formulas/alu_fetch.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models::alu_fetch {
namespace {

// II.B: 48 ALU and 12 TEX instructions; III.A: 16 and 4. Tolerance 0.
TEST(TaylorLiRatio, IsOneForFourBundlesPerFetch) {
    EXPECT_EQ(ratio({.bundles = 48, .fetches = 12}).value(), 1.0);
    EXPECT_EQ(ratio({.bundles = 16, .fetches = 4}).value(), 1.0);
}

// III.A: two inputs and the ratio 2.0 are 16 ALU operations. Tolerance 0.
TEST(TaylorLiRatio, GivesTheNumberOfBundles) {
    EXPECT_EQ(bundles_for(2, 2.0).value(), 16);
}

// II.B: 5 registers leave 51 wavefronts ("16kB/64" there is 16k registers of 128 bit / 64); 64 and
// 16 registers are the ends of the register sweep (constructed). Tolerance 0.
TEST(TaylorLiWavefronts, FollowFromTheRegisters) {
    EXPECT_EQ(wavefronts(5).value(), 51);
    EXPECT_EQ(wavefronts(64).value(), 4);
    EXPECT_EQ(wavefronts(16).value(), 16);
}

struct Gpu {
    const char* name;
    std::int64_t simd_engines;
    std::int64_t alus;
    std::int64_t texture_units;
};
// Table I with II.A: ALUs = SIMD engines * 16 * 5, texture units = SIMD engines * 4. Tolerance 0.
TEST(TaylorLiTable1, FollowsFromTheSimdEngines) {
    constexpr auto table = std::to_array<Gpu>(
        {{"RV670", 4, 320, 16}, {"RV770", 10, 800, 40}, {"RV870", 20, 1600, 80}});
    for (const auto& gpu : table) {
        EXPECT_EQ(gpu.simd_engines * thread_processors * lanes, gpu.alus) << gpu.name;
        EXPECT_EQ(gpu.simd_engines * fetch_units, gpu.texture_units) << gpu.name;
    }
}

Setting pixel_shader(double transactions) {
    return {.threads = 1024 * 1024,
            .simd_engines = 10,
            .transactions_per_fetch = transactions,
            .output_cost = 1};
}

/// The smallest ratio in steps of 0.25, as in the paper's sweep, that arithmetic bounds.
double crossover_of(double transactions) {
    for (double step = 0.25;; step += 0.25) {
        const Kernel kernel{
            .bundles = bundles_for(16, step).value(), .fetches = 16, .outputs = 1, .registers = 16};
        if (kernel_time(kernel, pixel_shader(transactions)).value().bound == Bound::Alu)
            return step;
    }
}

// IV.A, pixel shader: the crossover is 1.25 for float (RV670, RV770). Tolerance 0.25, one step of
// the sweep: the ideal q = 1 lies within it.
TEST(TaylorLiCrossover, IsWithinOneStepForFloat) {
    EXPECT_NEAR(crossover_of(1), 1.25, 0.25);
}

// IV.A, pixel shader, float4: 5.0 on RV670 and RV770, 9.0 on RV870. These rows do not hold with the
// ideal q = 4: the published value is 25 % above it (as for float) on the older GPUs and more than
// twice it on RV870, where fetching does not saturate. Recorded as such, and reproduced with the
// observed crossover as q. Tolerance 0.
TEST(TaylorLiCrossover, ForFloat4IsAboveTheIdeal) {
    EXPECT_EQ(crossover_of(4), 4.0);
    EXPECT_EQ(crossover_of(5), 5.0);
    EXPECT_EQ(crossover_of(9), 9.0);
}

// Fig. 11: fetch time is linear in the inputs, and n float4 cost 4 n float. Ordering.
TEST(TaylorLiFigure11, GrowsLinearlyWithTheInputs) {
    const auto fetch = [](double inputs, double transactions) {
        return kernel_time({.fetches = inputs, .registers = 16}, pixel_shader(transactions))
            .value()
            .fetch;
    };
    EXPECT_DOUBLE_EQ(fetch(8, 1) - fetch(4, 1), fetch(4, 1));
    EXPECT_DOUBLE_EQ(fetch(8, 4), fetch(32, 1));
}

// Fig. 14: the rate of global writes is constant per scalar, so float takes about a quarter of
// float4. Ordering; the cost per scalar is measured, here 3 cycles.
TEST(TaylorLiFigure14, WritesScalarsAtAConstantRate) {
    const auto write = [](double cost) {
        Setting setting = pixel_shader(1);
        setting.output_cost = cost;
        return kernel_time({.outputs = 2, .registers = 16}, setting).value().write;
    };
    EXPECT_DOUBLE_EQ(4 * write(3), write(4 * 3));
}

// Figs. 16, 17: fewer registers, 64 down to 16, are faster on RV670 and RV770, which this model
// does not say: 4 or 16 wavefronts fill both slots of a thread processor alike. Only a single
// wavefront is slower. The test of Fig. 5, the same clauses in another order, has no row: the model
// counts clauses and not their order. Ordering.
TEST(TaylorLiFigures16And17, LevelOffFromTwoWavefronts) {
    const auto time = [](std::int64_t registers) {
        const Kernel kernel{.bundles = bundles_for(64, 4).value(),
                            .fetches = 64,
                            .outputs = 1,
                            .registers = registers};
        return kernel_time(kernel, pixel_shader(1)).value().time.value();
    };
    EXPECT_EQ(time(64), time(16));
    EXPECT_GT(time(200), time(64));
}

// Fig. 7: where fetches cost more transactions (compute shader 64x1, float4) the crossover is
// higher. Fig. 8: blocks of 4x16 need fewer transactions than 64x1 and are 3 to 4 times as fast
// when fetching bounds. Fig. 12: a global read costs the same for float and float4, one transaction
// each. Orderings by the transactions that the caller states.
TEST(TaylorLiFigures7And8And12, FollowTheTransactions) {
    EXPECT_GT(crossover_of(4), crossover_of(1));
    const auto fetch = [](double transactions) {
        const Kernel kernel{.bundles = 1, .fetches = 16, .outputs = 1, .registers = 16};
        return kernel_time(kernel, pixel_shader(transactions)).value().time.value();
    };
    EXPECT_DOUBLE_EQ(fetch(4), 4 * fetch(1));
    EXPECT_DOUBLE_EQ(fetch(3), 3 * fetch(1));
}

// Fig. 13: streaming stores are linear in the outputs. Ordering.
TEST(TaylorLiFigure13, GrowsLinearlyWithTheOutputs) {
    const auto write = [](double outputs) {
        return kernel_time({.outputs = outputs, .registers = 16}, pixel_shader(1)).value().write;
    };
    EXPECT_DOUBLE_EQ(write(8) - write(4), write(4));
}

// Fig. 15: the time of an ALU-bound kernel (8 inputs, ratio 10, 8 registers) grows with the domain
// and is the same for float and float4. Ordering.
TEST(TaylorLiFigure15, GrowsWithTheDomainWhenAluBound) {
    double last = 0;
    for (std::int64_t side = 256; side <= 1024; side += 64) {
        const auto time = [&](double transactions) {
            Setting setting = pixel_shader(transactions);
            setting.threads = side * side;
            const Kernel kernel{
                .bundles = bundles_for(8, 10).value(), .fetches = 8, .outputs = 1, .registers = 8};
            const auto found = kernel_time(kernel, setting).value();
            EXPECT_EQ(found.bound, Bound::Alu);
            return found.time.value();
        };
        EXPECT_GT(time(1), last);
        EXPECT_EQ(time(1), time(4));
        last = time(1);
    }
}

} // namespace
} // namespace warpbound::models::alu_fetch

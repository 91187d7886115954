/// \file
/// The ALU:Fetch model grows with every count, and its crossover decides its bound.

#include "models/formulas/alu_fetch.hpp"
#include "tests/support/campaign.hpp"

namespace warpbound::models::alu_fetch {
namespace {

TEST(AluFetchProperty, GrowsWithCountsAndCrossesOverAtTheCrossover) {
    tests::for_seeds(2000, [](tests::RandomSource& random_source) {
        const Kernel kernel{.bundles = random_source.real(1, 400),
                            .fetches = random_source.real(1, 40),
                            .outputs = random_source.real(0, 8),
                            .registers = random_source.whole(1, 256)};
        const Setting setting{.threads = random_source.whole(64, 1'000'000),
                              .simd_engines = random_source.whole(1, 20),
                              .transactions_per_fetch = random_source.real(1, 9),
                              .output_cost = random_source.real(1, 100)};
        const auto found = kernel_time(kernel, setting).value();
        Kernel larger = kernel;
        larger.bundles += random_source.real(0, 10);
        larger.fetches += random_source.real(0, 10);
        larger.outputs += random_source.real(0, 10);
        larger.registers = random_source.whole(kernel.registers, 256);
        EXPECT_GE(kernel_time(larger, setting).value().time.value(), found.time.value());
        EXPECT_LE(found.wavefronts, wavefronts(kernel.registers).value());
        EXPECT_EQ(found.time.value(), std::max({found.alu, found.fetch, found.write}));
        const double r = ratio(kernel).value();
        if (r > found.crossover * (1 + 1e-9)) {
            EXPECT_GT(found.alu, found.fetch);
        }
        if (r < found.crossover * (1 - 1e-9)) {
            EXPECT_LT(found.alu, found.fetch);
        }
    });
}

} // namespace
} // namespace warpbound::models::alu_fetch

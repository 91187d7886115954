#include "models/formulas/alu_fetch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::alu_fetch {
namespace {

using testing::HasSubstr;

Setting setting() {
    return {.threads = 64 * 40, .simd_engines = 10, .transactions_per_fetch = 1, .output_cost = 20};
}

// 4 wavefronts per engine: 4 * 16 * 4, 4 * 3 * 16 and 4 * 2 * 20 cycles.
TEST(AluFetch, TakesTheLongestOfThree) {
    const auto found =
        kernel_time({.bundles = 16, .fetches = 3, .outputs = 2, .registers = 10}, setting());
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found.value().alu, 256);
    EXPECT_EQ(found.value().fetch, 192);
    EXPECT_EQ(found.value().write, 160);
    EXPECT_EQ(found.value().time.value(), 256);
    EXPECT_EQ(to_string(found.value().bound), "ALU");
    EXPECT_EQ(found.value().wavefronts, 4); // Registers would allow 25.
}

TEST(AluFetch, DoublesArithmeticOfASingleWavefront) {
    const Kernel two{.bundles = 16, .fetches = 1, .registers = 128};
    const Kernel one{.bundles = 16, .fetches = 1, .registers = 129};
    EXPECT_EQ(kernel_time(one, setting()).value().alu, 2 * kernel_time(two, setting()).value().alu);
    EXPECT_EQ(kernel_time(one, setting()).value().crossover, 0.5);
}

TEST(AluFetch, RefusesWhatItCannotComputeWith) {
    EXPECT_THAT(ratio({.bundles = 1}).error().what, HasSubstr("fetches is 0"));
    EXPECT_THAT(wavefronts(257).error().what, HasSubstr("registers is 257"));
    EXPECT_THAT(bundles_for(0, 1).error().what, HasSubstr("inputs is 0"));
    EXPECT_THAT(kernel_time({.registers = 1}, setting()).error().what, HasSubstr("without work"));
    Setting without_cost = setting();
    without_cost.output_cost.reset();
    EXPECT_THAT(kernel_time({.outputs = 1, .registers = 1}, without_cost).error().what,
                HasSubstr("cost of an output is missing"));
}

TEST(AluFetch, ExplainsItself) {
    const Kernel kernel{.bundles = 16, .fetches = 3, .outputs = 2, .registers = 10};
    const ExplainedSymbol expected{"T_fetch", 192, "cycles", "T10, inferred"};
    EXPECT_THAT(explain(kernel, setting(), kernel_time(kernel, setting()).value()),
                testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::alu_fetch

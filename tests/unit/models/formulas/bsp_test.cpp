#include "models/formulas/bsp.hpp"
#include "models/formulas/scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::bsp {
namespace {

using testing::HasSubstr;

const Machine machine{
    .clock = 1e9, .cores = 100, .latencies = {.shared = 5, .global = 500, .l1 = 30, .l2 = 200}};

// 2 + 1 shared accesses of 5; of 10 + 4 global ones 6 hit in L1, 3 in L2 and 5 in none.
TEST(Bsp, SplitsAccessesByLevel) {
    const Work work{.computation = 50,
                    .shared_loads = 2,
                    .shared_stores = 1,
                    .global_loads = 10,
                    .global_stores = 4,
                    .l1_hits = 6,
                    .l2_hits = 3};
    const auto found = kernel_time(1000, work, machine, 2).value();
    EXPECT_EQ(found.shared, 15);
    EXPECT_EQ(found.global, 5 * 500 + 6 * 30 + 3 * 200);
    EXPECT_DOUBLE_EQ(found.time.value(), 1000 * (50 + 15 + 3280) / (1e9 * 100 * 2));
}

TEST(Bsp, RefusesWhatItCannotComputeWith) {
    const Work work{.computation = 50};
    EXPECT_THAT(kernel_time(0, work, machine, 1).error().what, HasSubstr("threads is 0"));
    EXPECT_THAT(kernel_time(1, {}, machine, 1).error().what, HasSubstr("without work"));
    EXPECT_THAT(kernel_time(1, work, machine, 0).error().what, HasSubstr("lambda is 0"));
    EXPECT_THAT(kernel_time(1, work, {.cores = 1, .latencies = {}}, 1).error().what,
                HasSubstr("clock is 0"));
    EXPECT_THAT(kernel_time(1, {.global_loads = 1, .l1_hits = 2}, machine, 1).error().what,
                HasSubstr("more cache hits"));
    EXPECT_THAT(kernel_time(1, {.shared_loads = 1}, {.clock = 1, .cores = 1, .latencies = {}}, 1)
                    .error()
                    .what,
                HasSubstr("latency of shared memory is 0"));
}

TEST(Bsp, ExplainsItself) {
    const Work work{.computation = 50, .shared_loads = 1};
    const ExplainedSymbol expected{"comm_SM", 5, "cycles/thread", "A15, from memory"};
    EXPECT_THAT(explain(1, work, machine, 1, kernel_time(1, work, machine, 1).value()),
                testing::Contains(expected));
}

TEST(ScalingFactor, RefusesTimesThatAreNotPositive) {
    EXPECT_THAT(scaling_factor(Estimate<Seconds>{1}, Seconds{0}).error().what,
                HasSubstr("measured time is 0"));
}

} // namespace
} // namespace warpbound::models::bsp

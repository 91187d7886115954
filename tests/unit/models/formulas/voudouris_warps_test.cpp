#include "models/formulas/voudouris_warps.hpp"

#include <gtest/gtest.h>

namespace warpbound::models::voudouris {
namespace {

const KernelProfile mix{.arithmetic_independent = 10,
                        .arithmetic_dependent = 2,
                        .shared_loads = 4,
                        .shared_stores = 1,
                        .global_loads = 3,
                        .global_stores = 2};
constexpr Buffer buffer{.entries = 8, .drain = 6};

double average(const Core& core, const Variation& variation = {}) {
    return time_of_warps(mix, 100_cycles, table_7, core, variation).value().times.average.value();
}

TEST(VoudourisWarps, IsThePublishedModelForOneWarp) {
    const auto one = time_of_warps(mix, 100_cycles, table_7, {}, {}).value().times;
    const auto published = time_of(mix, 100_cycles, table_7);
    EXPECT_EQ(one.best, published.best);
    EXPECT_EQ(one.average, published.average);
    EXPECT_EQ(one.worst, published.worst);
}

// 20 warps on two schedulers: ten slots of 2 cycles. Ten independent additions at 20 instead of 6,
// two dependent at 20 instead of 18; the last warp starts 18 cycles late. A store: 6*(20*2-8)/2.
TEST(VoudourisWarps, CountsTheSlotsOfASchedulerBeyondSixWarps) {
    const double difference = 10 * (20 - 6) + 2 * (20 - 18) + 18 + 2 * (96 - 34);
    EXPECT_EQ(average({.warps = 20, .buffer = buffer}), average({}) + difference);
}

TEST(VoudourisWarps, ChargesConflictsAndVariation) {
    EXPECT_EQ(average({}, {.degrees = {4, 2}}), average({}) + (3 + 1) * 26);
    EXPECT_EQ(average({}, {.load = 1.5}), average({}) + 3 * 200);
    // The best case has no variation.
    EXPECT_EQ(time_of_warps(mix, 0_cycles, table_7, {}, {.load = 1.5}).value().times.best,
              time_of(mix, 0_cycles, table_7).best);
}

TEST(VoudourisWarps, RefusesWhatDoesNotFit) {
    const auto refused = [](const Core& core, const Variation& variation = {}) {
        return !time_of_warps(mix, 0_cycles, table_7, core, variation).has_value();
    };
    EXPECT_TRUE(refused({.warps = 0}));
    EXPECT_TRUE(refused({.warps = 2})) << "stores without a buffer";
    EXPECT_TRUE(refused({}, {.load = 0}));
    EXPECT_TRUE(refused({}, {.degrees = {1}}));
    EXPECT_TRUE(refused({}, {.degrees = {2, 2, 2, 2, 2}}));
    EXPECT_FALSE(refused({.warps = 2, .buffer = buffer}));
}

} // namespace
} // namespace warpbound::models::voudouris

#include "models/bounds.hpp"
#include "models/units.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace warpbound::models {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();

TEST(Ticks, AddAndMultiply) {
    EXPECT_EQ(3_cycles * 4 + 5_cycles - 1_cycles, 16_cycles);
    EXPECT_LT(1_memory_cycles, 2_memory_cycles);
}

TEST(Ticks, ThrowInsteadOfOverflowing) {
    EXPECT_THROW(Cycles{largest} + 1_cycles, std::overflow_error);
    EXPECT_THROW(Cycles{-largest} - 2_cycles, std::overflow_error);
    EXPECT_THROW(Cycles{largest} * 2, std::overflow_error);
}

TEST(Rounding, HasADirection) {
    EXPECT_EQ(round_down(2.9), 2_cycles);
    EXPECT_EQ(round_up(2.1), 3_cycles);
    EXPECT_EQ(round_down(-2.1), Cycles{-3});
    EXPECT_EQ(round_up(3.0), 3_cycles);
}

// 2^63 is the first double above the range, -2^63 the lowest one inside.
TEST(Rounding, RefusesWhatDoesNotFit) {
    EXPECT_THROW(round_up(9223372036854775808.0), std::overflow_error);
    EXPECT_EQ(round_down(-9223372036854775808.0).count(), std::numeric_limits<std::int64_t>::min());
    EXPECT_THROW(round_down(std::numeric_limits<double>::infinity()), std::overflow_error);
    EXPECT_THROW(round_up(std::numeric_limits<double>::quiet_NaN()), std::overflow_error);
}

TEST(Bounds, KeepLowerBelowUpper) {
    EXPECT_THROW((Bounds<Cycles>{2_cycles, 1_cycles}), std::logic_error);
    const Bounds<Cycles> bounds{1_cycles, 3_cycles};
    EXPECT_TRUE(bounds.contains(1_cycles));
    EXPECT_TRUE(bounds.contains(3_cycles));
    EXPECT_FALSE(bounds.contains(4_cycles));
}

} // namespace
} // namespace warpbound::models

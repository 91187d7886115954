#include "models/launch/counts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace warpbound::models {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();

TEST(Counts, AddMultiplyAndDivide) {
    EXPECT_EQ(Warps{3} * 4 + Warps{5} - Warps{1}, Warps{16});
    EXPECT_EQ(Warps{7} / 2, Warps{3});
    EXPECT_EQ(divide_up(Warps{7}, 2), Warps{4});
    EXPECT_EQ(Warps{7} / Warps{2}, 3);
    EXPECT_EQ(divide_up(ThreadBlocks{7}, ThreadBlocks{2}), 4); // Waves.
    EXPECT_LT(ThreadBlocks{1}, ThreadBlocks{2});
}

TEST(Counts, OfBlocksGiveThoseOfTheirWarps) {
    EXPECT_EQ(ThreadBlocks{3} * Warps{4}, Warps{12});
}

TEST(Counts, SumUpWhatEachHas) {
    EXPECT_EQ(times(5, Warps{3}), 15);
    EXPECT_EQ(5_cycles * ThreadBlocks{3}, 15_cycles);
}

TEST(Counts, ThrowInsteadOfOverflowing) {
    EXPECT_THROW(Warps{largest} + Warps{1}, std::overflow_error);
    EXPECT_THROW(Warps{-largest} - Warps{2}, std::overflow_error);
    EXPECT_THROW(Warps{largest} * 2, std::overflow_error);
    EXPECT_THROW(ThreadBlocks{largest} * Warps{2}, std::overflow_error);
    EXPECT_THROW(times(2, Warps{largest}), std::overflow_error);
    EXPECT_THROW(2_cycles * Warps{largest}, std::overflow_error);
    EXPECT_THROW(divide_up(Warps{largest}, 2), std::overflow_error);
}

} // namespace
} // namespace warpbound::models

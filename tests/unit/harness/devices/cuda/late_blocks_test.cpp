// Whether blocks that waited for each other show how many fit on an SM.
#include "harness/devices/cuda/late_blocks.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/ptx_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

using models::Cycles;

constexpr std::int64_t waiting = semaphore_time_out;

models::WarpObservation warp(std::int64_t block, std::int64_t number, std::int64_t begin,
                             std::int64_t end) {
    return {block, number, 0, Cycles{begin}, Cycles{end}, Cycles{end}};
}

std::int64_t counted(const std::vector<models::WarpObservation>& warps) {
    models::Observation seen;
    seen.warps = warps;
    return times_of(seen, Quantity::ResidentBlocks).value().front();
}

TEST(LateBlocks, BeginInTheSecondHalfOfTheWait) {
    std::vector<models::WarpObservation> warps{warp(0, 0, 0, waiting), warp(1, 0, 5, waiting + 5)};
    EXPECT_FALSE(cuda::late_blocks(warps));
    warps.push_back(warp(2, 0, waiting / 2, waiting * 3 / 2));
    EXPECT_FALSE(cuda::late_blocks(warps));
    warps.back().first_clock = Cycles{waiting / 2 + 1};
    ASSERT_TRUE(cuda::late_blocks(warps));
    EXPECT_EQ(cuda::late_blocks(warps)->anomaly, RunAnomaly::Clock);
    EXPECT_THAT(cuda::late_blocks(warps)->text,
                testing::HasSubstr("a block began on SM 0 131073 cycles after the first one"));
    // A block that begins after the first one has left takes its block slot.
    warps.back() = warp(2, 0, waiting, 2 * waiting);
    EXPECT_FALSE(cuda::late_blocks(warps));
    // All blocks were counted, so none timed out.
    EXPECT_FALSE(cuda::late_blocks({warp(0, 0, 0, waiting - 1), warp(1, 0, waiting - 2, waiting)}));
}

// The second warp of the first block waits for longer than the first one, and a block that begins
// meanwhile is counted as concurrent: it is late like any other.
TEST(LateBlocks, EndWithTheirLastWarpAsWhereTheyAreCounted) {
    const std::vector<models::WarpObservation> warps{
        warp(0, 0, 0, waiting), warp(0, 1, 40, waiting + 40), warp(1, 0, waiting + 20, 2 * waiting),
        warp(1, 1, waiting + 30, 2 * waiting)};
    EXPECT_EQ(counted(warps), 2);
    EXPECT_TRUE(cuda::late_blocks(warps));
}

} // namespace
} // namespace warpbound::harness

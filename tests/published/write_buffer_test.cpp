// Write buffer recurrence (reference models 10). Voudouris 2014 prints the gap of 34 cycles (Table
// 7) but neither entries nor drain, so its measured anchors (store part 616, at worst 916; +100
// cycles per store at 16 warps) are not rows: they are what a calibration would start from.
// Tolerance 0 throughout.
#include "models/formulas/write_buffer.hpp"

#include <gtest/gtest.h>

namespace warpbound::models::write_buffer {
namespace {

/// Entry times of `count` equal stores at V14 Table 7's 34 cycles, ready from the start.
std::vector<std::int64_t> entries_at(std::size_t count, std::int64_t capacity, Cycles drain) {
    const std::vector<Store> stores(count, {.ready = 0_cycles, .drain = drain});
    const Completion through = completion(stores, 34_cycles, capacity).value();
    std::vector<std::int64_t> found;
    for (const auto& passage : through.passages)
        found.push_back(passage.entered.count());
    return found;
}

// n <= K: t_j = (j - 1) a, whatever the drain.
TEST(WriteBufferRow, TakesStoresAtTheGapWhileTheyFit) {
    EXPECT_EQ(entries_at(5, 5, 1000_cycles), (std::vector<std::int64_t>{0, 34, 68, 102, 136}));
}

// K = 1: stores enter max(a, d) apart.
TEST(WriteBufferRow, SpacesStoresByTheSlowerOfGapAndDrain) {
    EXPECT_EQ(entries_at(4, 1, 20_cycles), (std::vector<std::int64_t>{0, 34, 68, 102}));
    EXPECT_EQ(entries_at(4, 1, 50_cycles), (std::vector<std::int64_t>{0, 50, 100, 150}));
}

// d <= a: never full.
TEST(WriteBufferRow, IsNeverFullWhenItDrainsFasterThanStoresCome) {
    EXPECT_EQ(entries_at(9, 2, 34_cycles).back(), 8 * 34);
}

// d > a and n > K: t_n = max((n - 1) a, (n - K) d). The nine stores of V14's rows kernel with K = 4
// and d = 100 (constructed): max(272, 500), done after 900.
TEST(WriteBufferRow, HasATailWhenItIsFull) {
    EXPECT_EQ(entries_at(9, 4, 100_cycles).back(), 500);
    EXPECT_EQ(entries_at(9, 4, 50_cycles).back(), 272);
    const std::vector<Store> stores(9, {.ready = 0_cycles, .drain = 100_cycles});
    EXPECT_EQ(completion(stores, 34_cycles, 4).value().last_drained.value(), 900);
}

// Network calculus, T + b/R and b + rT: burst 8, interval 40, drain 30, latency 100 (constructed):
// 100 + 8 * 30 cycles and 8 + 100 / 40 = 10.5, at most 11 stores.
TEST(NetworkCalculusRow, BoundsDelayAndBacklog) {
    const auto found = guarantee({.burst = 8, .interval = 40_cycles},
                                 {.latency = 100_cycles, .drain = {25_cycles, 30_cycles}})
                           .value();
    EXPECT_EQ(found.delay, (Bounds<Cycles>{25_cycles, 340_cycles}));
    EXPECT_EQ(found.backlog, (Bounds<std::int64_t>{1, 11}));
}

} // namespace
} // namespace warpbound::models::write_buffer

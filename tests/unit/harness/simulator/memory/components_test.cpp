// The components of the memory system: cache, miss table, DRAM channel (C23 to C28).

#include "harness/simulator/memory/cache.hpp"
#include "harness/simulator/memory/dram_channel.hpp"
#include "harness/simulator/memory/miss_table.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;

CacheShape shape_of(std::uint64_t sets, std::uint64_t ways) {
    return CacheShape{.line = 128,
                      .sector = 32,
                      .sets = sets,
                      .ways = ways,
                      .mshr_entries = 4,
                      .mshr_merges = 2,
                      .service = {1, 1},
                      .latency = {30, 30}};
}

TEST(Cache, ReplacesTheLeastRecentlyUsedLine) {
    Cache cache{shape_of(2, 2)};
    EXPECT_EQ(cache.fill(0, 0b0001, false), std::nullopt);
    EXPECT_EQ(cache.fill(2, 0b0010, true), std::nullopt);
    cache.touch(0);
    const auto evicted = cache.fill(4, 0b1111, false);
    ASSERT_TRUE(evicted);
    EXPECT_EQ(evicted->line, 2U);
    EXPECT_EQ(evicted->dirty, 0b0010U);
    EXPECT_EQ(cache.present(0), 0b0001U);
    EXPECT_EQ(cache.present(2), 0U);
    EXPECT_EQ(cache.fill(0, 0b0100, false), std::nullopt); // Further sectors of a line.
    EXPECT_EQ(cache.present(0), 0b0101U);
    cache.drop(0);
    EXPECT_EQ(cache.present(0), 0U);
}

TEST(Cache, AgreesWithAListPerSet) {
    std::mt19937_64 random{3};
    Cache cache{shape_of(4, 3)};
    std::map<std::uint64_t, std::list<std::uint64_t>> sets; // The least recently used first.
    for (int step = 0; step < 20000; ++step) {
        const std::uint64_t line = random() % 32;
        auto& set = sets[line % 4];
        const auto found = std::find(set.begin(), set.end(), line);
        ASSERT_EQ(cache.present(line) != 0, found != set.end()) << "step " << step;
        if (found != set.end()) {
            set.splice(set.end(), set, found);
            cache.touch(line);
            continue;
        }
        const auto evicted = cache.fill(line, 1, false);
        ASSERT_EQ(evicted.has_value(), set.size() == 3);
        if (evicted) {
            EXPECT_EQ(evicted->line, set.front());
            set.pop_front();
        }
        set.push_back(line);
    }
}

TEST(MissTable, HoldsSectorsUntilTheyAreFilled) {
    MissTable misses{2, 2};
    misses.add(7, 1);
    EXPECT_EQ(misses.find(8), nullptr);
    ASSERT_NE(misses.find(7), nullptr);
    EXPECT_TRUE(misses.can_merge(*misses.find(7)));
    misses.find(7)->waiting.push_back(2);
    EXPECT_FALSE(misses.can_merge(*misses.find(7)));
    misses.add(8, 3);
    EXPECT_EQ(misses.free_entries(), 0U);
    misses.remove(7);
    EXPECT_EQ(misses.free_entries(), 1U);
    misses.add(9, 4);
    EXPECT_THAT(misses.find(9)->waiting, ElementsAre(4U));
}

class Channel : public testing::Test {
protected:
    static DramShape shape() {
        return DramShape{.latency = {400, 400},
                         .channels = 1,
                         .banks = 2,
                         .row = 1024,
                         .row_hit = {4, 4},
                         .row_miss = {40, 40},
                         .queue = 4,
                         .refresh_interval = {1000, 1000},
                         .refresh_duration = {0, 0}};
    }
    static DramChannel::Transfer transfer(std::uint64_t bank, std::uint64_t row) {
        return {.bank = bank, .row = row, .sectors = 2, .write = false, .reading = 0, .warp = 0};
    }
    RandomSource random_source{Draw::AllLow, RandomStream{1, StreamOf::Memory, 0}};
};

TEST_F(Channel, TakesRowHitsFirstAndLetsBanksOverlap) {
    DramChannel channel{shape(), random_source};
    channel.join(transfer(0, 5));
    channel.join(transfer(0, 6));
    channel.join(transfer(1, 5));
    channel.join(transfer(0, 5));
    EXPECT_FALSE(channel.has_free_entry());
    std::vector<std::tuple<std::int64_t, std::uint64_t, std::uint64_t, bool>> served;
    std::int64_t now = 0;
    while ((now = channel.next(now)) != never) {
        const auto one = channel.serve(now, random_source);
        ASSERT_TRUE(one);
        served.emplace_back(now, one->transfer.bank, one->transfer.row, one->row_hit);
    }
    // Opening row 5 keeps bank 0 for 40 cycles and the bus for two sectors of 4 cycles.
    EXPECT_THAT(served, ElementsAre(std::tuple{0, 0, 5, false}, std::tuple{8, 1, 5, false},
                                    std::tuple{40, 0, 5, true}, std::tuple{48, 0, 6, false}));
}

TEST_F(Channel, SeesWriteBacksBeyondItsQueueLater) {
    DramChannel channel{shape(), random_source}; // Four entries.
    for (const std::uint64_t row : {5U, 6U, 7U, 8U})
        channel.join(transfer(0, row));
    channel.join(transfer(1, 5)); // Outside the window, though its bank is free.
    EXPECT_EQ(channel.next(0), 0);
    EXPECT_EQ(channel.serve(0, random_source)->transfer.row, 5U);
    // Bank 0 is busy until cycle 40; the window moved on to the write-back, and the bus is free.
    EXPECT_EQ(channel.next(1), 8);
    EXPECT_EQ(channel.serve(8, random_source)->transfer.bank, 1U);
    EXPECT_EQ(channel.next(9), 40);
    EXPECT_FALSE(channel.serve(39, random_source));
    EXPECT_EQ(channel.serve(40, random_source)->transfer.row, 6U);
}

TEST_F(Channel, DoesNotStartATransferOutsideTheWindow) {
    DramChannel channel{shape(), random_source};
    channel.join(transfer(0, 5));
    ASSERT_TRUE(channel.serve(0, random_source));
    for (const std::uint64_t row : {6U, 7U, 8U, 9U})
        channel.join(transfer(0, row));
    channel.join(transfer(1, 5));
    EXPECT_EQ(channel.next(10), 40);
    EXPECT_FALSE(channel.serve(10, random_source));
}

TEST_F(Channel, StartsNothingInARefreshAndClosesItsRows) {
    DramShape refreshing = shape();
    refreshing.refresh_duration = {100, 100};
    DramChannel channel{refreshing, random_source}; // All low: the phase is 0.
    channel.join(transfer(0, 5));
    EXPECT_EQ(channel.next(0), 100);
    EXPECT_FALSE(channel.serve(99, random_source));
    EXPECT_FALSE(channel.serve(100, random_source)->row_hit);
    channel.join(transfer(0, 5));
    EXPECT_TRUE(channel.serve(140, random_source)->row_hit);
    channel.join(transfer(0, 5));
    EXPECT_EQ(channel.next(1050), 1100);
    EXPECT_FALSE(channel.serve(1100, random_source)->row_hit);
}

} // namespace
} // namespace warpbound::harness::simulator::test

// Addresses of lanes and the passes that they take: rules C21 and C22 of
// docs/reference/timing-contract.md.

#include "models/facts/address_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <set>

namespace warpbound::models {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t warp_mask = 0xffffffff;

LaneAddresses strided(std::uint64_t stride, std::uint64_t bytes = 4, std::uint64_t base = 0) {
    AddressPattern pattern;
    pattern.base = base;
    pattern.thread_stride = stride;
    return addresses_of(pattern, {}, warp_mask, bytes);
}

TEST(Addresses, AddUpStridesAndWrapAround) {
    AddressPattern pattern;
    pattern.base = 0x1000;
    pattern.thread_stride = 4;
    pattern.row = 16;
    pattern.row_stride = 256;
    pattern.warp_stride = 512;
    pattern.block_stride = 1024;
    pattern.iteration_stride = 64;
    const auto first = addresses_of(pattern, {}, warp_mask, 4);
    EXPECT_EQ(first.address[0], 0x1000U);
    EXPECT_EQ(first.address[15], 0x1000U + 60);
    EXPECT_EQ(first.address[16], 0x1000U + 256);
    const WarpAccess place{.block = 2, .warp = 3, .execution = 5};
    EXPECT_EQ(addresses_of(pattern, place, warp_mask, 4).address[0],
              0x1000U + 2 * 1024 + 3 * 512 + 5 * 64);
    pattern.footprint = 1024;
    EXPECT_EQ(addresses_of(pattern, place, warp_mask, 4).address[0],
              0x1000U + (2 * 1024 + 3 * 512 + 5 * 64) % 1024);
}

TEST(Addresses, AtRandomStayInTheFootprintAndRepeat) {
    AddressPattern pattern;
    pattern.base = 0x4000;
    pattern.footprint = 4096;
    pattern.random = 7;
    std::set<std::uint64_t> seen;
    for (std::uint64_t execution = 0; execution < 50; ++execution) {
        const WarpAccess place{.block = 1, .warp = 2, .execution = execution};
        const auto lanes = addresses_of(pattern, place, warp_mask, 8);
        EXPECT_EQ(addresses_of(pattern, place, warp_mask, 8).address, lanes.address);
        for (std::size_t lane = 0; lane < 32; ++lane) {
            EXPECT_GE(lanes.address[lane], 0x4000U);
            EXPECT_LT(lanes.address[lane], 0x5000U);
            EXPECT_EQ(lanes.address[lane] % 8, 0U);
            seen.insert(lanes.address[lane]);
        }
    }
    EXPECT_GT(seen.size(), 400U); // Of 512.
}

// Voudouris 2014, Tables 2-4: bank = word mod 32, so a stride of s words has the degree gcd(s, 32).
TEST(Banks, ConflictByTheGreatestCommonDivisorOfStrideAndBanks) {
    for (std::uint64_t words = 1; words <= 64; ++words)
        EXPECT_EQ(bank_passes(strided(4 * words), 32, 4),
                  static_cast<std::int64_t>(std::gcd(words, std::uint64_t{32})))
            << words;
}

TEST(Banks, BroadcastAWord) {
    EXPECT_EQ(bank_passes(strided(0), 32, 4), 1);
    EXPECT_EQ(bank_passes(strided(1, 1), 32, 4), 1); // Four lanes in each of eight words.
}

TEST(Banks, ServeWideAccessesInHalvesAndQuarters) {
    EXPECT_EQ(bank_passes(strided(8, 8), 32, 4), 2);
    EXPECT_EQ(bank_passes(strided(16, 16), 32, 4), 4);
    EXPECT_EQ(bank_passes(strided(256, 8), 32, 4), 32); // Sixteen on one bank, twice.
    EXPECT_EQ(bank_passes(strided(0, 16), 32, 4), 4);
}

TEST(Banks, CountActiveLanesOnly) {
    auto lanes = strided(128);
    lanes.active = 0b1011;
    EXPECT_EQ(bank_passes(lanes, 32, 4), 3);
    lanes.active = 0;
    EXPECT_EQ(bank_passes(lanes, 32, 4), 1);
}

TEST(Atomics, SerialiseLanesOfOneAddress) {
    EXPECT_EQ(shared_atomic_passes(strided(0), 32, 4), 32);
    EXPECT_EQ(shared_atomic_passes(strided(4), 32, 4), 1);
    EXPECT_EQ(global_atomic_passes(strided(0), 128), 32);
    EXPECT_EQ(global_atomic_passes(strided(4), 128), 1);
    EXPECT_EQ(global_atomic_passes(strided(128), 128), 32); // A line each.
    AddressPattern pairs;
    pairs.row = 2;
    pairs.row_stride = 4; // Lanes 2k and 2k + 1 on one word.
    EXPECT_EQ(global_atomic_passes(addresses_of(pairs, {}, warp_mask, 4), 128), 2);
}

TEST(Coalescing, ListsLinesWithTheirSectors) {
    std::vector<TouchedLine> lines;
    coalesce(strided(4, 4, 64), 128, 32, lines);
    EXPECT_THAT(lines, ElementsAre(TouchedLine{0, 0b1100}, TouchedLine{128, 0b0011}));
    coalesce(strided(64), 128, 32, lines);
    EXPECT_EQ(lines.size(), 16U);
    EXPECT_EQ(lines[1], (TouchedLine{128, 0b0101}));
    coalesce(strided(0, 4, 0x204), 128, 32, lines);
    EXPECT_THAT(lines, ElementsAre(TouchedLine{0x200, 1}));
    EXPECT_EQ(line_passes(strided(4, 4, 126), 128), 2); // A lane that straddles two lines.
}

// Against a plain count of distinct lines and words.
TEST(Passes, AgreeWithAPlainCountOnRandomAddresses) {
    std::mt19937_64 random{11};
    for (int round = 0; round < 500; ++round) {
        LaneAddresses lanes;
        lanes.active = random() & warp_mask;
        lanes.bytes = 4;
        std::set<std::uint64_t> lines;
        std::array<std::set<std::uint64_t>, 32> banks;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            lanes.address[lane] = random() % 4096 / 4 * 4;
            if (((lanes.active >> lane) & 1U) == 0) continue;
            lines.insert(lanes.address[lane] / 128);
            banks[lanes.address[lane] / 4 % 32].insert(lanes.address[lane]);
        }
        std::size_t fullest = 1;
        for (const auto& bank : banks)
            fullest = std::max(fullest, bank.size());
        EXPECT_EQ(line_passes(lanes, 128),
                  std::max<std::int64_t>(1, static_cast<std::int64_t>(lines.size())));
        EXPECT_EQ(bank_passes(lanes, 32, 4), static_cast<std::int64_t>(fullest));
    }
}

// Of a divergent warp, the passes of all lanes are an upper bound (C22).
TEST(Passes, OfFewerLanesAreNoMore) {
    std::mt19937_64 random{20261122};
    std::int64_t fewer = 0;
    for (int i = 0; i < 20'000; ++i) {
        LaneAddresses lanes;
        lanes.bytes = std::uint64_t{1} << random() % 5;
        lanes.active = all_lanes(32);
        for (std::uint64_t& address : lanes.address)
            address = random() % (std::uint64_t{1} << (4 + i % 8)) * (i % 3 == 0 ? 1 : lanes.bytes);
        LaneAddresses some = lanes;
        some.active &= random() & random();
        const auto passes = [](const LaneAddresses& of) {
            return std::array{line_passes(of, 128), bank_passes(of, 32, 4),
                              shared_atomic_passes(of, 32, 4), global_atomic_passes(of, 128),
                              word_passes(of)};
        };
        const auto of_all = passes(lanes);
        const auto of_some = passes(some);
        for (std::size_t rule = 0; rule < of_all.size(); ++rule) {
            ASSERT_LE(of_some[rule], of_all[rule]) << "case " << i << ", rule " << rule;
            fewer += of_some[rule] < of_all[rule] ? 1 : 0;
        }
    }
    EXPECT_GT(fewer, 50'000);
}

TEST(PassRange, HoldsForEveryAccessOfRandomPatterns) {
    std::mt19937_64 random{5};
    const auto pick = [&](std::uint64_t most) { return random() % (most + 1); };
    for (int round = 0; round < 300; ++round) {
        AddressPattern pattern;
        pattern.base = 4 * pick(100);
        pattern.thread_stride = 4 * pick(40);
        if (pick(1) == 1) {
            pattern.row = 1 + pick(31);
            pattern.row_stride = 4 * pick(300);
        }
        pattern.warp_stride = 4 * pick(100);
        pattern.block_stride = 4 * pick(1000);
        pattern.iteration_stride = pick(1) == 1 ? 0 : 4 * pick(50);
        if (pick(1) == 1) pattern.footprint = 4 + 4 * pick(5000);
        // Sums beyond 2^48, which many footprints do not divide.
        if (pick(3) == 0) pattern.iteration_stride = 4 * pick(std::uint64_t{1} << 38U);
        if (pick(3) == 0) pattern.footprint = 96 * (1 + pick(8));
        if (pick(9) == 0) pattern.random = round;
        const auto lines = [](const LaneAddresses& lanes) { return line_passes(lanes, 128); };
        const auto threads = 1 + static_cast<std::int64_t>(pick(1023));
        const std::uint64_t last_warp = static_cast<std::uint64_t>(threads - 1) / 32;
        const auto lanes_of = [&](std::uint64_t warp) {
            return lanes_of_warp(threads, 32, static_cast<std::int64_t>(warp));
        };
        const std::array lanes{lanes_of(0), lanes_of(last_warp)};
        const auto range = pass_range(pattern, lanes, 4, 128, lines);
        EXPECT_GE(range.lo, 1);
        for (int place = 0; place < 50; ++place) {
            const WarpAccess at{
                .block = pick(20), .warp = pick(last_warp), .execution = pick(100000)};
            const auto passes = lines(addresses_of(pattern, at, all_lanes(lanes_of(at.warp)), 4));
            EXPECT_GE(passes, range.lo) << "round " << round;
            EXPECT_LE(passes, range.hi) << "round " << round;
        }
    }
}

// 824633720832 is 3 x 2^38 and 192 is 3 x 64: every sum is a multiple of the footprint, also beyond
// 2^48.
TEST(AddressPattern, FoldsTheExactSumIntoTheFootprint) {
    AddressPattern pattern;
    pattern.thread_stride = 4;
    pattern.iteration_stride = 824633720832;
    pattern.footprint = 192;
    for (const std::uint64_t execution : {0U, 341U, 342U, 1000U})
        EXPECT_EQ(
            addresses_of(pattern, {.block = 0, .warp = 0, .execution = execution}, 1, 4).address[0],
            0U)
            << execution;
}

TEST(PassRange, IsOneNumberWhereEveryAccessIsAligned) {
    AddressPattern rows;
    rows.thread_stride = 4;
    rows.warp_stride = 128;
    rows.block_stride = 1024;
    rows.iteration_stride = 4096;
    const auto lines = [](const LaneAddresses& lanes) { return line_passes(lanes, 128); };
    constexpr std::array<std::int64_t, 1> full{32};
    EXPECT_EQ(pass_range(rows, full, 4, 128, lines), (PassRange{1, 1}));
    rows.warp_stride = 64;
    EXPECT_EQ(pass_range(rows, full, 4, 128, lines), (PassRange{1, 2}));
}

TEST(PassRange, CountsTheThreadsThatTheLastWarpHas) {
    AddressPattern columns;
    columns.thread_stride = 128;
    const auto lines = [](const LaneAddresses& lanes) { return line_passes(lanes, 128); };
    constexpr std::array<std::int64_t, 2> of_52_threads{lanes_of_warp(52, 32, 0),
                                                        lanes_of_warp(52, 32, 1)};
    EXPECT_EQ(pass_range(columns, of_52_threads, 4, 128, lines), (PassRange{20, 32}));
    constexpr std::array<std::int64_t, 1> of_20_threads{lanes_of_warp(20, 32, 0)};
    EXPECT_EQ(pass_range(columns, of_20_threads, 4, 128, lines), (PassRange{20, 20}));
}

} // namespace
} // namespace warpbound::models

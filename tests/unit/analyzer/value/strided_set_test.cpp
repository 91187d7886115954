#include "analyzer/value/strided_set.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace warpbound::analyzer {
namespace {

constexpr std::int64_t sector = 32; ///< `Unit:` bytes.

/// By listing every byte, from this base on.
TouchedUnits listed(const std::vector<StridedIndex>& indices, std::int64_t bytes, std::int64_t unit,
                    std::int64_t base) {
    std::vector<std::int64_t> addresses{base};
    for (const StridedIndex& index : indices) {
        std::vector<std::int64_t> next;
        for (const std::int64_t address : addresses)
            for (std::int64_t i = 0; i < index.count; ++i)
                next.push_back(address + i * index.stride);
        std::ranges::sort(next);
        next.erase(std::unique(next.begin(), next.end()), next.end());
        addresses = std::move(next);
    }
    std::map<std::int64_t, std::vector<bool>> accessed; // Per unit, its bytes.
    for (const std::int64_t address : addresses)
        for (std::int64_t byte = address; byte < address + bytes; ++byte) {
            auto& of_unit = accessed[byte / unit];
            of_unit.resize(static_cast<std::size_t>(unit));
            of_unit[static_cast<std::size_t>(byte % unit)] = true;
        }
    TouchedUnits units;
    for (const auto& [number, of_unit] : accessed) {
        ++units.touched;
        if (std::ranges::all_of(of_unit, [](bool byte) { return byte; })) ++units.covered;
    }
    return units;
}

TEST(StridedSet, OfAdjacentElementsTouchesTheWholeSpan) {
    // 16 blocks of 256 threads load 4 bytes each: 16,384 bytes, 512 sectors. Where the first one
    // begins inside a sector, 511 are covered.
    const auto units = least_touched({{4, 256}, {1024, 16}}, 4, sector);
    EXPECT_EQ(units.touched, 512);
    EXPECT_EQ(units.covered, 511);
}

TEST(StridedSet, OfAMatrixByColumnsIsThatByRows) {
    EXPECT_EQ(least_touched({{4096, 1024}, {4, 1024}}, 4, sector).touched, 131072);
    EXPECT_EQ(least_touched({{-4, 1024}, {4096, 1024}}, 4, sector).touched, 131072);
}

TEST(StridedSet, OfIndicesWithOneFactorIsThatOfTheirSum) {
    // 0 to 7 and 0 to 1: 9 elements, whichever comes first.
    EXPECT_EQ(least_touched({{336, 8}, {336, 2}}, 4, sector).touched, 9);
    EXPECT_EQ(least_touched({{336, 2}, {-336, 8}}, 4, sector).touched, 9);
}

TEST(StridedSet, OfFarElementsTouchesOneUnitEach) {
    const auto units = least_touched({{128, 1000}}, 4, sector);
    EXPECT_EQ(units.touched, 1000);
    EXPECT_EQ(units.covered, 0);
    EXPECT_EQ(least_touched({{128, 1000}}, 4, 128).touched, 1000);
}

TEST(StridedSet, CountsNoMoreThanTheAddressSpaceHolds) {
    const std::int64_t gibibytes = std::int64_t{1} << 30U;
    EXPECT_LE(least_touched({{gibibytes, 100}}, 4, sector).touched, 4);
    EXPECT_LE(least_touched({{4, std::int64_t{1} << 31U}}, 4, sector).touched,
              4 * gibibytes / sector);
}

TEST(StridedSet, OfRandomStridesIsNeverOvercounted) {
    tests::RandomSource random_source{7};
    for (int round = 0; round < 5000; ++round) {
        std::vector<StridedIndex> indices;
        for (std::int64_t left = random_source.whole(1, 4); left > 0; --left)
            indices.push_back(
                {random_source.whole(-90, 90) * (random_source.whole(1, 3) == 1 ? 4 : 1),
                 random_source.whole(1, 6)});
        const std::int64_t bytes = std::int64_t{1} << random_source.whole(0, 4);
        const std::int64_t unit = std::int64_t{16} << random_source.whole(0, 3);
        const std::int64_t base = 100'000 + random_source.whole(0, 127);
        const auto counted = least_touched(indices, bytes, unit);
        const auto all = listed(indices, bytes, unit, base);
        ASSERT_LE(counted.touched, all.touched) << "round " << round;
        ASSERT_LE(counted.covered, all.covered) << "round " << round;
    }
}

} // namespace
} // namespace warpbound::analyzer

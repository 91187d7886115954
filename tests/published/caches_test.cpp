// Caches (reference models 11): what the section states of reuse distances (Nugteren et al., HPCA
// 2014), of the set hash of Fermi's L1 and of SDCM (PPT-GPU). Tolerance 0 where nothing else is
// said.
#include "models/formulas/reuse_distance.hpp"
#include "models/formulas/stack_distance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace warpbound::models {
namespace {

using reuse_distance::set_of;
using reuse_distance::SetIndex;
using stack_distance::hit_probability;

// Constructed from b[4:0] XOR {b12, b10, b8, b7, b6} + 32 b5.
TEST(NugterenFermiHash, MapsLinesToSets) {
    struct Row {
        std::uint64_t line;
        std::int64_t sets_32;
        std::int64_t sets_64;
    };
    constexpr auto rows = std::to_array<Row>({{0, 0, 0},
                                              {31, 31, 31},
                                              {32, 0, 32},
                                              {1U << 6U, 1, 1},
                                              {1U << 7U, 2, 2},
                                              {1U << 8U, 4, 4},
                                              {1U << 9U, 0, 0},
                                              {1U << 10U, 8, 8},
                                              {1U << 11U, 0, 0},
                                              {1U << 12U, 16, 16},
                                              {(1U << 12U) + 63, 15, 47}});
    for (const auto& row : rows) {
        EXPECT_EQ(set_of(row.line, {.sets = 32, .ways = 4, .index = SetIndex::FermiL1}),
                  row.sets_32)
            << row.line;
        EXPECT_EQ(set_of(row.line, {.sets = 64, .ways = 6, .index = SetIndex::FermiL1}),
                  row.sets_64)
            << row.line;
    }
}

TEST(NugterenFermiHash, IsAPermutationOfEachAlignedGroupOf32Lines) {
    for (std::uint64_t first = 0; first < 1U << 14U; first += 32)
        for (const std::int64_t sets : {32, 64}) {
            std::set<std::int64_t> found;
            for (std::uint64_t line = first; line < first + 32; ++line)
                found.insert(set_of(line, {.sets = sets, .ways = 4, .index = SetIndex::FermiL1}));
            EXPECT_EQ(found.size(), 32U) << first;
        }
}

TEST(Sdcm, IsCertainAtNoDistanceAndVanishesFarAway) {
    EXPECT_EQ(hit_probability(0, 128, 4).value(), 1);
    EXPECT_EQ(hit_probability(3, 128, 4).value(), 1);
    EXPECT_LT(hit_probability(100'000, 128, 4).value(), 1e-12);
}

TEST(Sdcm, IsAStepWhenFullyAssociative) {
    EXPECT_EQ(hit_probability(127, 128, 128).value(), 1);
    EXPECT_EQ(hit_probability(128, 128, 128).value(), 0);
}

// Direct mapped: ((B - 1) / B)^D.
TEST(Sdcm, IsAPowerWhenDirectMapped) {
    EXPECT_NEAR(hit_probability(10, 64, 1).value(), std::pow(63.0 / 64, 10), 1e-12);
    EXPECT_NEAR(hit_probability(1000, 64, 1).value(), std::pow(63.0 / 64, 1000), 1e-15);
}

// Two ways of four lines, D = 3: 1/8 + 3/8.
TEST(Sdcm, SumsTheBinomialTerms) {
    EXPECT_NEAR(hit_probability(3, 4, 2).value(), 0.5, 1e-12);
}

TEST(Sdcm, RefusesWhatIsNoCache) {
    EXPECT_FALSE(hit_probability(-1, 4, 2));
    EXPECT_FALSE(hit_probability(1, 4, 0));
    EXPECT_FALSE(hit_probability(1, 4, 8));
}

} // namespace
} // namespace warpbound::models

// Bank conflicts of shared memory: P. Voudouris, master thesis, TU Eindhoven, 2014 (V14), Tables 2
// to 4 and Fig. 22, strides in words and 32 banks (reference models 9). Tolerance 0.
#include "models/facts/address_pattern.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models {
namespace {

struct Row {
    std::int64_t stride;
    std::array<std::int64_t, 9> banks; ///< Of threads 0 to 8.
    std::int64_t degree;               ///< Of 32 lanes.
};
// Tables 2, 3 and 4; 64 and 128 equal 32 in Fig. 22. Odd strides are constructed.
constexpr auto conflict_rows = std::to_array<Row>({
    {4, {0, 4, 8, 12, 16, 20, 24, 28, 0}, 4},
    {16, {0, 16, 0, 16, 0, 16, 0, 16, 0}, 16},
    {32, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 32},
    {64, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 32},
    {128, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 32},
    {1, {0, 1, 2, 3, 4, 5, 6, 7, 8}, 1},
    {3, {0, 3, 6, 9, 12, 15, 18, 21, 24}, 1},
    {31, {0, 31, 30, 29, 28, 27, 26, 25, 24}, 1},
});

/// Passes of 32 lanes that address words at this stride, in banks of 4 bytes.
std::int64_t passes_of_stride(std::int64_t stride, std::uint64_t banks) {
    AddressPattern pattern;
    pattern.thread_stride = static_cast<std::uint64_t>(4 * stride);
    return bank_passes(addresses_of(pattern, {}, all_lanes(32), 4), banks, 4);
}

TEST(VoudourisTables2To4, HaveTheBanksAndTheConflictDegrees) {
    for (const auto& row : conflict_rows) {
        for (std::size_t thread = 0; thread < row.banks.size(); ++thread)
            EXPECT_EQ(static_cast<std::int64_t>(thread) * row.stride % 32, row.banks.at(thread))
                << row.stride;
        EXPECT_EQ(passes_of_stride(row.stride, 32), row.degree) << row.stride;
    }
}

// All lanes one word: a broadcast (constructed).
TEST(BankConflicts, CountDistinctWordsOnly) {
    EXPECT_EQ(passes_of_stride(0, 32), 1);
    LaneAddresses lanes{.address = {}, .active = 0x1f, .bytes = 4};
    const std::uint64_t words[] = {0, 32, 32, 64, 1};
    for (std::size_t lane = 0; lane < 5; ++lane)
        lanes.address[lane] = 4 * words[lane];
    EXPECT_EQ(bank_passes(lanes, 32, 4), 3);
}

} // namespace
} // namespace warpbound::models

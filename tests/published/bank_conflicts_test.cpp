// Bank conflicts of shared memory: P. Voudouris, master thesis, TU Eindhoven, 2014 (V14), Tables 2
// to 4 and Fig. 22, strides in words and 32 banks (reference models 9). Tolerance 0.
#include "models/formulas/bank_conflicts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace warpbound::models::bank_conflicts {
namespace {

struct Row {
    std::int64_t stride;
    std::array<std::int64_t, 9> banks; ///< Of threads 0 to 8.
    std::int64_t degree;               ///< Of 32 lanes.
};
// Tables 2, 3 and 4; 64 and 128 equal 32 in Fig. 22. Odd strides are constructed.
constexpr auto rows = std::to_array<Row>({
    {4, {0, 4, 8, 12, 16, 20, 24, 28, 0}, 4},
    {16, {0, 16, 0, 16, 0, 16, 0, 16, 0}, 16},
    {32, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 32},
    {64, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 32},
    {128, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 32},
    {1, {0, 1, 2, 3, 4, 5, 6, 7, 8}, 1},
    {3, {0, 3, 6, 9, 12, 15, 18, 21, 24}, 1},
    {31, {0, 31, 30, 29, 28, 27, 26, 25, 24}, 1},
});

TEST(VoudourisTables2To4, HaveTheBanksAndTheConflictDegrees) {
    for (const auto& row : rows) {
        for (std::size_t thread = 0; thread < row.banks.size(); ++thread)
            EXPECT_EQ(static_cast<std::int64_t>(thread) * row.stride % 32, row.banks.at(thread))
                << row.stride;
        EXPECT_EQ(degree_of_stride(row.stride, 32).value(), row.degree) << row.stride;
    }
}

// All lanes one word: a broadcast (constructed).
TEST(BankConflicts, CountDistinctWordsOnly) {
    EXPECT_EQ(degree(std::vector<std::int64_t>(32, 7), 32).value(), 1);
    EXPECT_EQ(degree_of_stride(0, 32).value(), 1);
    EXPECT_EQ(degree(std::vector<std::int64_t>{0, 32, 32, 64, 1}, 32).value(), 3);
    EXPECT_FALSE(degree({}, 32));
    EXPECT_FALSE(degree_of_stride(-1, 32));
}

} // namespace
} // namespace warpbound::models::bank_conflicts

// Atomics of one address: Jia et al., arXiv:1903.07486, Table 4.2 (T4, shared memory, lanes on one
// address) against T_base + (d - 1) T_op of reference models 14 with both taken from the ends of
// the row. Tolerance: that of each machine, 1 to 3 cycles: the table is in whole cycles, and some
// of its values are off the line.
#include "models/formulas/atomics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace warpbound::models::atomics {
namespace {

struct Machine {
    const char* name;
    std::array<double, 6> shared; ///< For 1, 2, 4, 8, 16, 32 lanes on one address.
    double tolerance;
};
// M60's and P4's first steps are cheaper than their last ones.
constexpr auto machines = std::to_array<Machine>({{"T4", {8, 10, 14, 22, 37, 69}, 1},
                                                  {"P100", {15, 17, 19, 30, 46, 78}, 3},
                                                  {"P4", {16, 18, 25, 30, 46, 78}, 3},
                                                  {"M60", {17, 19, 25, 31, 47, 79}, 2}});

TEST(JiaTable4Dot2, LiesOnTheLineOfSharedAtomics) {
    for (const auto& machine : machines) {
        const Costs costs =
            costs_from(1, machine.shared.front(), 32, machine.shared.back()).value();
        for (std::size_t row = 0; row < machine.shared.size(); ++row)
            EXPECT_NEAR(time_of(std::int64_t{1} << row, costs).value().value(),
                        machine.shared.at(row), machine.tolerance)
                << machine.name << " " << (1 << row);
    }
}

// K80's shared atomics are lock loops: the model does not hold there (93 to 4257 cycles).
TEST(JiaTable4Dot2, NamesTheMachineThatTheLineDoesNotDescribe) {
    constexpr std::array<double, 6> k80{93, 214, 460, 952, 1936, 4257};
    const Costs costs = costs_from(1, k80.front(), 32, k80.back()).value();
    EXPECT_GT(std::abs(time_of(8, costs).value().value() - k80[3]), 70);
}

// Constructed: the order of lanes does not matter.
TEST(Atomics, DoNotDependOnTheOrderOfLanes) {
    std::vector<std::uint64_t> addresses{0, 4, 4, 8, 0, 4, 12, 4};
    std::mt19937_64 bits{20261121};
    for (int turn = 0; turn < 100; ++turn) {
        for (std::size_t left = addresses.size(); left > 1; --left)
            std::swap(addresses[left - 1], addresses[bits() % left]);
        EXPECT_EQ(multiplicity(addresses).value(), 4);
    }
}

} // namespace
} // namespace warpbound::models::atomics

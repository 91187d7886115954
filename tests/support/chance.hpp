#pragma once
/// \file
/// Seeded cases for property tests that need no simulator.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace warpbound::tests {

/// A source of random inputs.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : engine_{seed} {}
    /// A whole number from lo to hi.
    std::int64_t whole(std::int64_t lo, std::int64_t hi) {
        return std::uniform_int_distribution<std::int64_t>{lo, hi}(engine_);
    }
    /// A real number from lo to hi.
    double real(double lo, double hi) {
        return std::uniform_real_distribution<double>{lo, hi}(engine_);
    }

private:
    std::mt19937_64 engine_;
};

/// Runs `one(chance)` on seeds from WARPBOUND_PROPERTY_SEED (or a fixed one) on, until the first
/// failure, whose seed is printed.
template <typename Case> void for_seeds(int cases, Case one) {
    const char* const chosen = std::getenv("WARPBOUND_PROPERTY_SEED");
    const std::uint64_t first = chosen == nullptr ? 20261121 : std::stoull(chosen);
    for (int index = 0; index < cases && !testing::Test::HasFailure(); ++index) {
        const std::uint64_t seed = first + static_cast<std::uint64_t>(index);
        SCOPED_TRACE("seed " + std::to_string(seed));
        Chance chance{seed};
        one(chance);
    }
}

} // namespace warpbound::tests

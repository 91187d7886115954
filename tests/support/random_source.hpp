#pragma once
/// \file
/// The source of random test inputs.

#include <cstdint>
#include <random>

namespace warpbound::tests {

/// Whole numbers are the same with every standard library.
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : engine_{seed} {}
    /// A whole number from lo to hi. Requires: hi - lo is below 2^63.
    std::int64_t whole(std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    /// A real number from lo to hi.
    double real(double lo, double hi) {
        return std::uniform_real_distribution<double>{lo, hi}(engine_);
    }

private:
    std::mt19937_64 engine_;
};

} // namespace warpbound::tests

#pragma once
/// \file
/// Rounding of whole numbers, and their way into real arithmetic.

#include <cstdint>

namespace warpbound::models {

/// Smallest whole number not below n/d. Requires: n >= 0, d > 0, n + d in range.
constexpr std::int64_t divide_up(std::int64_t n, std::int64_t d) {
    return (n + d - 1) / d;
}

/// Smallest multiple of `unit` not below n. Requires: as `divide_up`, and the result in range.
constexpr std::int64_t round_up_to(std::int64_t n, std::int64_t unit) {
    return divide_up(n, unit) * unit;
}

/// A count in a formula of real numbers. Exact below 2^53.
constexpr double real(std::int64_t count) {
    return static_cast<double>(count);
}

} // namespace warpbound::models

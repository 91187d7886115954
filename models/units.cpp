#include "models/units.hpp"

#include <cmath>

namespace warpbound::models {
namespace {

/// Requires: `whole` has no fraction (or is not finite).
Cycles to_cycles(double whole) {
    constexpr double limit = 9223372036854775808.0; // 2^63, exact as a double.
    if (!(whole >= -limit && whole < limit)) throw std::overflow_error{"cycles out of range"};
    return Cycles{static_cast<std::int64_t>(whole)};
}

} // namespace

Cycles round_down(double value) {
    return to_cycles(std::floor(value));
}
Cycles round_up(double value) {
    return to_cycles(std::ceil(value));
}

} // namespace warpbound::models

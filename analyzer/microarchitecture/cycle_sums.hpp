#pragma once
/// \file
/// Sums of cycles that do not wrap around, and the end of an interval that a side counts.

#include "analyzer/bound.hpp"
#include "models/sourced.hpp"
#include "models/units.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// `a + b * c` without wrapping around.
inline std::int64_t sum_of_product(std::int64_t a, std::int64_t b, std::int64_t c) {
    return (models::Cycles{a} + models::Cycles{b} * c).count();
}

inline std::int64_t end_of(const models::Interval& interval, Side side) {
    return side == Side::Upper ? interval.hi : interval.lo;
}

} // namespace warpbound::analyzer

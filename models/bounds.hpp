#pragma once
/// \file
/// A proved lower and upper bound on one quantity.

#include <stdexcept>

namespace warpbound::models {

/// Keeps lower <= upper; throws `std::logic_error` otherwise. Formulas that bound take and return
/// this type.
template <typename Quantity> class Bounds {
public:
    constexpr Bounds(Quantity lower, Quantity upper) : lower_{lower}, upper_{upper} {
        if (upper < lower) throw std::logic_error{"a lower bound above its upper bound"};
    }
    [[nodiscard]] constexpr Quantity lower() const { return lower_; }
    [[nodiscard]] constexpr Quantity upper() const { return upper_; }
    [[nodiscard]] constexpr bool contains(Quantity value) const {
        return !(value < lower_) && !(upper_ < value);
    }
    friend constexpr bool operator==(const Bounds&, const Bounds&) = default;

private:
    Quantity lower_;
    Quantity upper_;
};

} // namespace warpbound::models

#pragma once
/// \file
/// An approximation. Nothing converts it to a bound.

#include <string>

namespace warpbound::models {

/// Estimate, not a bound: may err on either side. `Unit:` that of `Quantity`, as a real number.
template <typename Quantity> class Estimate {
public:
    explicit constexpr Estimate(double value) : value_{value} {}
    [[nodiscard]] constexpr double value() const { return value_; }
    friend constexpr bool operator==(const Estimate&, const Estimate&) = default;

private:
    double value_;
};

} // namespace warpbound::models

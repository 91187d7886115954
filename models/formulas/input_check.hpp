#pragma once
/// \file
/// Checks of the input of a formula.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::models {

/// Keeps the first objection to the input of one formula. The ranges are far wider than any machine
/// and far narrower than a `double`, so that no product of a formula becomes infinite or NaN.
class InputCheck {
public:
    /// `formula` stands in front of every objection: "mwp-cwp".
    explicit InputCheck(std::string formula) : formula_{std::move(formula)} {}

    /// A real number from 1e-30 to 1e30.
    InputCheck& positive(std::string_view name, double value) {
        return value >= smallest && value <= largest ? *this : not_positive(name, value);
    }
    /// Zero, or a positive real number as above.
    InputCheck& not_negative(std::string_view name, double value) {
        const bool holds = value == 0 || (value >= smallest && value <= largest);
        return holds ? *this : negative(name, value);
    }
    /// A real number from `lo` to `hi`.
    InputCheck& within(std::string_view name, double value, double lo, double hi) {
        return value >= lo && value <= hi ? *this : outside(name, value, lo, hi);
    }
    /// A whole number from `least` to `most`; products of two counts below 2^31 stay in range.
    InputCheck& count(std::string_view name, std::int64_t value, std::int64_t least,
                      std::int64_t most = 2'147'483'647) {
        return value >= least && value <= most ? *this : outside(name, value, least, most);
    }
    /// Any other condition; `what` says what is wrong and what was expected.
    InputCheck& require(bool holds, std::string_view what);

    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    static constexpr double smallest = 1e-30;
    static constexpr double largest = 1e30;

    InputCheck& not_positive(std::string_view name, double value);
    InputCheck& negative(std::string_view name, double value);
    InputCheck& outside(std::string_view name, double value, double lo, double hi);
    InputCheck& outside(std::string_view name, std::int64_t value, std::int64_t least,
                        std::int64_t most);

    std::string formula_;
    std::optional<Failure> failure_;
};

} // namespace warpbound::models

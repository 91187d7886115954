#pragma once
/// \file
/// Intervals with a unit whose ends are expressions: "a*2us..a*3us".

#include "models/application/expression.hpp"
#include "models/time/duration.hpp"
#include "models/time/scaled_number.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace warpbound::models::application {

/// lo <= typical <= hi.
template <typename Value> struct Range {
    Value lo{};
    Value typical{};
    Value hi{};

    friend bool operator==(const Range&, const Range&) = default;
};
/// lo rounded down, hi up, typical to the nearest.
using TimeRange = Range<Nanoseconds>;

/// One, two (lo..hi) or three (lo..typical..hi) expressions.
class Quantity {
public:
    /// The last unit applies to the ends before it that have none. Refuses a text without unit and
    /// more than three ends.
    static Result<Quantity> parse(std::string_view text, std::span<const DecimalUnit> units);

    /// `Unit:` the smallest unit. Without a typical end it is the middle. Refuses what `Expression`
    /// refuses, ends that are negative or not in order, and an end above 10^18.
    [[nodiscard]] Result<Range<Rational>> value(const Values& values) const;
    [[nodiscard]] std::vector<std::string> names() const;

private:
    struct End {
        Expression expression;
        int exponent = 0;
    };
    std::vector<End> ends_;
};

extern const std::span<const DecimalUnit> time_units;
extern const std::span<const DecimalUnit> size_units;
extern const std::span<const DecimalUnit> rate_units;

/// Requires: ends from 0 to 10^18.
TimeRange rounded(const Range<Rational>& nanoseconds);

} // namespace warpbound::models::application

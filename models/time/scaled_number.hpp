#pragma once
/// \file
/// Decimal numbers with a unit, read exactly.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace warpbound::models {

/// A unit of a quantity, as a power of ten of its smallest unit: "ms" is 10^6 ns.
struct DecimalUnit {
    std::string_view name;
    int exponent = 0;
};

enum class NumberDefect {
    NotANumber,  ///< No digits with at most one decimal point, without sign.
    UnknownUnit, ///< No unit, or none of the listed.
    NotWhole,    ///< Not a whole number of the smallest unit.
    TooLarge,    ///< 2^63 of the smallest unit or more.
};

struct ScaledNumber {
    std::int64_t value = 0;
    std::optional<NumberDefect> defect; ///< `value` is then meaningless.
};

/// Reads "1.59GHz" or "1.59 GHz". `Unit:` the smallest unit; exact, nothing is rounded.
ScaledNumber read_scaled(std::string_view text, std::span<const DecimalUnit> units);

/// Where the unit begins: behind the digits, the point and spaces.
std::size_t begin_of_unit(std::string_view text);

} // namespace warpbound::models

#pragma once
/// \file
/// What a predicate says of two numbers.

#include "analyzer/value/affine_expression.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// How a comparison instruction compares two numbers.
enum class Comparator { Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater };

/// What a predicate says. Both sides are those of the moment of the comparison.
struct Comparison {
    Comparator comparator = Comparator::Equal;
    bool is_signed = true;
    AffineExpression left;
    AffineExpression right;

    /// Whether it holds for these numbers.
    [[nodiscard]] bool holds(std::uint32_t left_value, std::uint32_t right_value) const;
    friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// What a predicate register says: all of the comparisons hold, or (negated) not all of them do.
struct Predicate {
    std::vector<Comparison> all; ///< Empty: true (negated: false).
    bool negated = false;        ///< Never with one comparison, whose comparator is turned instead.

    /// The only comparison that it consists of.
    [[nodiscard]] std::optional<Comparison> comparison() const {
        return all.size() == 1 ? std::optional{all.front()} : std::nullopt;
    }
    [[nodiscard]] Predicate operator!() const;
    friend bool operator==(const Predicate&, const Predicate&) = default;
};

} // namespace warpbound::analyzer

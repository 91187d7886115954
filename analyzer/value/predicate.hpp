#pragma once
/// \file
/// Symbolic predicates: conjunctions of comparisons, and their negations.

#include "analyzer/value/affine_expression.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// How a comparison instruction compares two numbers.
enum class Comparator { Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater };

/// A comparison. Both sides are the values at the time of the comparison.
struct Comparison {
    Comparator comparator = Comparator::Equal;
    bool is_signed = true;
    AffineExpression left;
    AffineExpression right;

    /// Whether the comparison is true for these numbers.
    [[nodiscard]] bool holds(std::uint32_t left_value, std::uint32_t right_value) const;
    friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// Value of a predicate register: true when all comparisons hold; negated: when not all hold.
struct Predicate {
    std::vector<Comparison> all; ///< Empty: always true (negated: always false).
    bool negated = false; ///< False for one comparison, whose comparator is inverted instead.

    /// The comparison, if it consists of exactly one.
    [[nodiscard]] std::optional<Comparison> comparison() const {
        return all.size() == 1 ? std::optional{all.front()} : std::nullopt;
    }
    [[nodiscard]] Predicate operator!() const;
    friend bool operator==(const Predicate&, const Predicate&) = default;
};

} // namespace warpbound::analyzer

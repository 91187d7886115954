#pragma once
/// \file
/// Comparisons in a form in which two about the same numbers can be held against each other.

#include "analyzer/value/interval_set.hpp"
#include "analyzer/value/symbolic_registers.hpp"
#include "models/launch/launch.hpp"

#include <optional>

namespace warpbound::analyzer {

/// What a condition is about.
struct Subject {
    enum class Kind {
        Number,       ///< The value of `first`, which has no constant part.
        SignedOrder,  ///< 0, 1, 2: `first` is below, equal to, above `second`.
        UnsignedOrder ///< The same for numbers without sign.
    };
    Kind kind = Kind::Number;
    AffineExpression first;
    AffineExpression second;

    friend bool operator==(const Subject&, const Subject&) = default;
    friend bool operator<(const Subject& a, const Subject& b);
};

/// The subject has one of these values.
struct Condition {
    Subject subject;
    IntervalSet allowed;
};

/// The same statement. Subjects of comparisons of the same numbers are equal, however they are
/// written: `x < 5`, `4 >= x` and `x + 3 < 8` (without sign: where `x + 3` does not wrap around).
Condition condition_of(const Comparison& comparison);

/// The values that a subject can have: of a number that the launch gives, those of the launch (any
/// where none is stated); a lane's number is below 32.
IntervalSet range_of(const Subject& subject, const std::optional<models::Launch>& launch);

} // namespace warpbound::analyzer

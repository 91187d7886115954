#pragma once
/// \file
/// Normal form of comparisons, in which two comparisons of the same numbers can be intersected.

#include "analyzer/value/interval_set.hpp"
#include "analyzer/value/symbolic_registers.hpp"
#include "models/launch/launch.hpp"

#include <optional>

namespace warpbound::analyzer {

/// The quantity that a condition restricts.
struct Subject {
    enum class Kind {
        Number,       ///< The value of `first`, whose constant part is 0.
        SignedOrder,  ///< 0, 1, 2: `first` is less than, equal to, greater than `second`.
        UnsignedOrder ///< The same for unsigned numbers.
    };
    Kind kind = Kind::Number;
    AffineExpression first;
    AffineExpression second;

    friend bool operator==(const Subject&, const Subject&) = default;
    friend bool operator<(const Subject& a, const Subject& b);
};

/// States that the subject has one of the allowed values.
struct Condition {
    Subject subject;
    IntervalSet allowed;
};

/// The normal form of a comparison. Comparisons of the same numbers get equal subjects, however
/// they are written: `x < 5`, `4 >= x` and `x + 3 < 8` (unsigned: where `x + 3` does not wrap
/// around).
Condition condition_of(const Comparison& comparison);

/// The possible values of a subject. Thread and block indices are bounded by the launch where one
/// is given, lane indices by 32; every other number may have any value.
IntervalSet range_of(const Subject& subject, const std::optional<models::Launch>& launch);

} // namespace warpbound::analyzer

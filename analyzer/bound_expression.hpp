#pragma once
/// \file
/// A bound as a value: sums of terms, and a choice among them.

#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

enum class Side { Lower, Upper };

/// A product: a count times the cycles of one. `Unit:` core cycles.
struct BoundTerm {
    std::string text; ///< What takes the time, and why it is counted `count` times.
    std::int64_t count = 1;
    std::int64_t cycles = 0; ///< Of one of them.
    /// Id of the path certificate that bounds `cycles`; empty: a value of the machine and the
    /// launch.
    std::string certificate{};
};
/// Sum of the terms. Throws `std::overflow_error` beyond 2^63 cycles.
models::Cycles sum_of(const std::vector<BoundTerm>& terms);

/// A tree whose leaves are sums of terms and whose inner nodes choose. From above, a minimum is
/// over alternatives, each of which is a bound by itself, and a maximum is over cases, of which any
/// may occur; from below the other way round.
struct BoundExpression {
    enum class Kind { Sum, Minimum, Maximum };
    Kind kind = Kind::Sum;
    std::string text;             ///< What tells it apart from the other parts of its choice.
    std::vector<BoundTerm> terms; ///< Of a sum.
    /// Of a sum: path certificates and values of the machine and the launch show all of it. Else
    /// only re-analysis does: a schedule was explored, or addresses were evaluated.
    bool has_evidence = true;
    std::vector<BoundExpression> parts; ///< Of a choice: at least one.
};

/// Alternatives, each of which is a bound on this side, as one bound; alternatives of alternatives
/// become alternatives of it. Requires: at least one.
BoundExpression best_of(Side side, std::vector<BoundExpression> alternatives);
/// Cases, each of which may occur, as one bound on this side. Requires: at least one.
BoundExpression worst_of(Side side, std::vector<BoundExpression> cases);

/// The sum that is chosen; of equal ones the first that has evidence, or the first.
const BoundExpression& chosen_sum(const BoundExpression& bound);
/// Throws `std::overflow_error` beyond 2^63 cycles.
models::Cycles value_of(const BoundExpression& bound);
/// The bound without alternatives that lack evidence; none if nothing is left of it.
std::optional<BoundExpression> with_evidence(const BoundExpression& bound, Side side);

/// Adds terms to every sum.
void add_terms(BoundExpression& bound, const std::vector<BoundTerm>& terms);
/// Marks every sum as one that only re-analysis shows.
void drop_evidence(BoundExpression& bound);

} // namespace warpbound::analyzer

#include "analyzer/bound_expression.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Kind = BoundExpression::Kind;

/// The choice among bounds of which each holds.
Kind choice_of_alternatives(Side side) {
    return side == Side::Upper ? Kind::Minimum : Kind::Maximum;
}

BoundExpression choice(Kind kind, std::vector<BoundExpression> parts) {
    std::vector<BoundExpression> all;
    for (BoundExpression& part : parts) {
        if (part.kind != kind) {
            all.push_back(std::move(part));
            continue;
        }
        for (BoundExpression& inner : part.parts)
            all.push_back(std::move(inner));
    }
    if (all.size() == 1) return std::move(all.front());
    BoundExpression bound;
    bound.kind = kind;
    bound.parts = std::move(all);
    return bound;
}

/// The sum that is chosen, and its value.
std::pair<const BoundExpression*, models::Cycles> choose(const BoundExpression& bound) {
    if (bound.kind == Kind::Sum) return {&bound, sum_of(bound.terms)};
    auto best = choose(bound.parts.front());
    for (std::size_t i = 1; i < bound.parts.size(); ++i) {
        const auto other = choose(bound.parts[i]);
        const bool is_better =
            bound.kind == Kind::Minimum ? other.second < best.second : best.second < other.second;
        const bool is_equal = other.second == best.second;
        if (is_better || (is_equal && other.first->has_evidence && !best.first->has_evidence))
            best = other;
    }
    return best;
}

} // namespace

models::Cycles sum_of(const std::vector<BoundTerm>& terms) {
    models::Cycles sum{0};
    for (const BoundTerm& term : terms)
        sum += models::Cycles{term.cycles} * term.count;
    return sum;
}

BoundExpression best_of(Side side, std::vector<BoundExpression> alternatives) {
    return choice(choice_of_alternatives(side), std::move(alternatives));
}

BoundExpression worst_of(Side side, std::vector<BoundExpression> cases) {
    return choice(choice_of_alternatives(side) == Kind::Minimum ? Kind::Maximum : Kind::Minimum,
                  std::move(cases));
}

const BoundExpression& chosen_sum(const BoundExpression& bound) {
    return *choose(bound).first;
}

models::Cycles value_of(const BoundExpression& bound) {
    return choose(bound).second;
}

std::optional<BoundExpression> with_evidence(const BoundExpression& bound, Side side) {
    if (bound.kind == Kind::Sum) return bound.has_evidence ? std::optional{bound} : std::nullopt;
    const bool is_any_enough = bound.kind == choice_of_alternatives(side);
    std::vector<BoundExpression> left;
    for (const BoundExpression& part : bound.parts) {
        auto shown = with_evidence(part, side);
        if (shown)
            left.push_back(std::move(*shown));
        else if (!is_any_enough)
            return std::nullopt;
    }
    if (left.empty()) return std::nullopt;
    return choice(bound.kind, std::move(left));
}

void add_terms(BoundExpression& bound, const std::vector<BoundTerm>& terms) {
    if (bound.kind == Kind::Sum) bound.terms.insert(bound.terms.end(), terms.begin(), terms.end());
    for (BoundExpression& part : bound.parts)
        add_terms(part, terms);
}

void drop_evidence(BoundExpression& bound) {
    bound.has_evidence = false;
    for (BoundExpression& part : bound.parts)
        drop_evidence(part);
}

} // namespace warpbound::analyzer

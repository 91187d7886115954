#include "analyzer/value/predicate.hpp"

namespace warpbound::analyzer {

namespace {

Comparator opposite_of(Comparator comparator) {
    switch (comparator) {
    case Comparator::Less:
        return Comparator::GreaterEqual;
    case Comparator::LessEqual:
        return Comparator::Greater;
    case Comparator::Equal:
        return Comparator::NotEqual;
    case Comparator::NotEqual:
        return Comparator::Equal;
    case Comparator::GreaterEqual:
        return Comparator::Less;
    case Comparator::Greater:
        return Comparator::LessEqual;
    }
    return comparator;
}

} // namespace

Predicate Predicate::operator!() const {
    Predicate opposite = *this;
    if (all.size() == 1)
        opposite.all.front().comparator = opposite_of(all.front().comparator);
    else
        opposite.negated = !negated;
    return opposite;
}

bool Comparison::holds(std::uint32_t left_value, std::uint32_t right_value) const {
    const auto compare = [&](auto a, auto b) {
        switch (comparator) {
        case Comparator::Less:
            return a < b;
        case Comparator::LessEqual:
            return a <= b;
        case Comparator::Equal:
            return a == b;
        case Comparator::NotEqual:
            return a != b;
        case Comparator::GreaterEqual:
            return a >= b;
        case Comparator::Greater:
            return a > b;
        }
        return false;
    };
    if (is_signed)
        return compare(static_cast<std::int32_t>(left_value),
                       static_cast<std::int32_t>(right_value));
    return compare(left_value, right_value);
}

} // namespace warpbound::analyzer

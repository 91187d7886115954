#include "analyzer/value/relative_bounds.hpp"

namespace warpbound::analyzer {

RelativeBound RelativeBound::negated() const {
    RelativeBound bound = *this;
    bound.offset_ = -offset_;
    bound.sign_ = -sign_;
    return bound;
}

RelativeBound RelativeBound::plus(std::int64_t number) const {
    RelativeBound bound = *this;
    if (is_known()) bound.offset_ += number;
    return bound;
}

RelativeBounds RelativeBounds::join(const RelativeBounds& other) const {
    RelativeBounds joined;
    if (least.is_parallel_to(other.least))
        joined.least = least.offset() < other.least.offset() ? least : other.least;
    if (most.is_parallel_to(other.most))
        joined.most = most.offset() > other.most.offset() ? most : other.most;
    return joined;
}

void RelativeBounds::forget(std::int64_t writer) {
    if (least.is_of(writer)) least = {};
    if (most.is_of(writer)) most = {};
}

} // namespace warpbound::analyzer

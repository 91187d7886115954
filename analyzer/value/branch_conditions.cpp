#include "analyzer/value/branch_conditions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr std::uint32_t sign_bit = std::uint32_t{1} << 31U;
constexpr std::uint64_t largest_number = IntervalSet::modulus - 1;

/// The unsigned numbers `n` with `n comparator limit`.
IntervalSet compared_with(Comparator comparator, std::uint64_t limit) {
    const IntervalSet below = limit == 0 ? IntervalSet{} : IntervalSet{0, limit - 1};
    const IntervalSet equal{limit, limit};
    switch (comparator) {
    case Comparator::Less:
        return below;
    case Comparator::LessEqual:
        return below.unite(equal);
    case Comparator::Equal:
        return equal;
    case Comparator::NotEqual:
        return equal.complement();
    case Comparator::GreaterEqual:
        return below.complement();
    case Comparator::Greater:
        return below.unite(equal).complement();
    }
    return IntervalSet::all();
}

/// `a c b` is equivalent to `b mirrored(c) a`.
Comparator mirrored(Comparator comparator) {
    switch (comparator) {
    case Comparator::Less:
        return Comparator::Greater;
    case Comparator::LessEqual:
        return Comparator::GreaterEqual;
    case Comparator::GreaterEqual:
        return Comparator::LessEqual;
    case Comparator::Greater:
        return Comparator::Less;
    default:
        return comparator;
    }
}

/// States that `number` is in the set.
Condition number_in(const AffineExpression& number, IntervalSet allowed) {
    AffineExpression subject = number - AffineExpression{number.constant()};
    allowed = allowed.shifted(std::uint32_t{0} - number.constant());
    if (!subject.is_constant() && subject.terms().front().second >= sign_bit) {
        subject = AffineExpression{} - subject;
        allowed = allowed.negated();
    }
    return {{Subject::Kind::Number, subject, AffineExpression{}}, allowed};
}

} // namespace

bool operator<(const Subject& a, const Subject& b) {
    return std::tie(a.kind, a.first, a.second) < std::tie(b.kind, b.first, b.second);
}

Condition condition_of(const Comparison& comparison) {
    Comparison form = comparison;
    const bool equality =
        form.comparator == Comparator::Equal || form.comparator == Comparator::NotEqual;
    if (equality) {
        form.left = form.left - form.right;
        form.right = AffineExpression{};
        form.is_signed = false;
    }
    if (form.left.is_constant() && form.right.is_constant())
        return {{},
                form.holds(form.left.constant(), form.right.constant()) ? IntervalSet::all()
                                                                        : IntervalSet{}};
    if (form.left.is_constant() || (!form.right.is_constant() && form.right < form.left)) {
        std::swap(form.left, form.right);
        form.comparator = mirrored(form.comparator);
    }
    if (form.right.is_constant()) {
        const std::uint32_t offset = form.is_signed ? sign_bit : 0;
        return number_in(
            form.left,
            compared_with(form.comparator, form.right.constant() + offset).shifted(offset));
    }
    // 0, 1, 2 encode less, equal, greater: comparing the code with 1 gives the same result.
    return {{form.is_signed ? Subject::Kind::SignedOrder : Subject::Kind::UnsignedOrder, form.left,
             form.right},
            compared_with(form.comparator, 1).intersect({0, 2})};
}

namespace {

/// Least and largest value; nothing where the launch does not bound it.
using GeometryRange = std::pair<std::int64_t, std::int64_t>;
std::optional<GeometryRange> range_of(Geometry number,
                                      const std::optional<models::Launch>& launch) {
    constexpr std::int64_t lanes = 32;
    if (number == Geometry::Lane) return GeometryRange{0, lanes - 1};
    if (!launch) return std::nullopt;
    // Without a shape only the product of the extents is known.
    const auto position = [](const std::optional<std::array<std::int64_t, 3>>& extents,
                             std::int64_t product, std::size_t dimension) {
        const std::int64_t extent = extents ? (*extents)[dimension] : product;
        return GeometryRange{0, std::min<std::int64_t>(extent, largest_number) - 1};
    };
    const auto extent = [](const std::optional<std::array<std::int64_t, 3>>& extents,
                           std::int64_t product, std::size_t dimension) {
        if (extents) return GeometryRange{(*extents)[dimension], (*extents)[dimension]};
        return GeometryRange{1, std::min<std::int64_t>(product, largest_number)};
    };
    std::optional<std::array<std::int64_t, 3>> threads;
    if (launch->shape) threads = launch->shape->threads;
    std::optional<std::array<std::int64_t, 3>> blocks;
    if (launch->grid) blocks = launch->grid->blocks;
    const auto dimension = [&](Geometry x) {
        return static_cast<std::size_t>(number) - static_cast<std::size_t>(x);
    };
    if (number <= Geometry::ThreadZ)
        return position(threads, launch->threads, dimension(Geometry::ThreadX));
    if (number <= Geometry::BlockZ)
        return position(blocks, launch->blocks, dimension(Geometry::BlockX));
    if (number <= Geometry::ThreadsZ)
        return extent(threads, launch->threads, dimension(Geometry::ThreadsX));
    return extent(blocks, launch->blocks, dimension(Geometry::BlocksX));
}

} // namespace

IntervalSet range_of(const Subject& subject, const std::optional<models::Launch>& launch) {
    if (subject.kind != Subject::Kind::Number) return {0, 2};
    // Interval arithmetic: from the sum of the lower ends to that of the upper ends, modulo 2^32.
    std::int64_t lo = 0;
    std::int64_t hi = 0;
    for (const auto& [symbol, coefficient] : subject.first.terms()) {
        const auto number = geometry_of(symbol);
        const auto range = number ? range_of(*number, launch) : std::nullopt;
        if (!range) return IntervalSet::all();
        // Each product is below 2^63; the loop stops as soon as the width reaches 2^32.
        const auto factor = std::int64_t{static_cast<std::int32_t>(coefficient)};
        lo += std::min(factor * range->first, factor * range->second);
        hi += std::max(factor * range->first, factor * range->second);
        if (hi - lo >= static_cast<std::int64_t>(IntervalSet::modulus)) return IntervalSet::all();
    }
    return IntervalSet{0, static_cast<std::uint64_t>(hi - lo)}.shifted(
        static_cast<std::uint32_t>(lo));
}

} // namespace warpbound::analyzer

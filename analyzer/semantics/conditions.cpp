#include "analyzer/semantics/conditions.hpp"

#include <tuple>

namespace warpbound::analyzer {

namespace {

constexpr std::uint32_t sign_bit = std::uint32_t{1} << 31U;
constexpr std::uint64_t largest = ValueSet::modulus - 1;

/// Numbers without sign that compare so with `limit`.
ValueSet compared_with(Comparator comparator, std::uint64_t limit) {
    const ValueSet below = limit == 0 ? ValueSet{} : ValueSet{0, limit - 1};
    const ValueSet equal{limit, limit};
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
    return ValueSet::all();
}

/// `a c b` says the same as `b mirrored(c) a`.
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

/// `number` is in the set.
Condition about_number(const Linear& number, ValueSet allowed) {
    Linear subject = number - Linear{number.constant()};
    allowed = allowed.shifted(std::uint32_t{0} - number.constant());
    if (!subject.is_constant() && subject.terms().front().second >= sign_bit) {
        subject = Linear{} - subject;
        allowed = allowed.negated();
    }
    return {{Subject::Kind::Number, subject, Linear{}}, allowed};
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
        form.right = Linear{};
        form.is_signed = false;
    }
    if (form.left.is_constant() && form.right.is_constant())
        return {{},
                form.holds(form.left.constant(), form.right.constant()) ? ValueSet::all()
                                                                        : ValueSet{}};
    if (form.left.is_constant() || (!form.right.is_constant() && form.right < form.left)) {
        std::swap(form.left, form.right);
        form.comparator = mirrored(form.comparator);
    }
    if (form.right.is_constant()) {
        const std::uint32_t offset = form.is_signed ? sign_bit : 0;
        return about_number(
            form.left,
            compared_with(form.comparator, form.right.constant() + offset).shifted(offset));
    }
    // 0, 1, 2 stand to 1 as the numbers stand to each other.
    return {{form.is_signed ? Subject::Kind::SignedOrder : Subject::Kind::UnsignedOrder, form.left,
             form.right},
            compared_with(form.comparator, 1).intersect({0, 2})};
}

ValueSet range_of(const Subject& subject, const std::optional<models::Launch>& launch) {
    if (subject.kind != Subject::Kind::Number) return {0, 2};
    const auto& terms = subject.first.terms();
    if (terms.empty()) return {0, 0};
    if (terms.size() != 1 || terms.front().second != 1) return ValueSet::all();
    const auto number = geometry_of(terms.front().first);
    if (!number) return ValueSet::all();
    constexpr std::uint64_t lanes = 32;
    if (*number == Geometry::Lane) return {0, lanes - 1};
    if (!launch) return ValueSet::all();
    const auto blocks = std::min(static_cast<std::uint64_t>(launch->blocks), largest);
    const auto threads = static_cast<std::uint64_t>(launch->threads);
    // How the launch spreads them over its three dimensions is not known.
    switch (*number) {
    case Geometry::ThreadX:
    case Geometry::ThreadY:
    case Geometry::ThreadZ:
        return {0, threads - 1};
    case Geometry::ThreadsX:
    case Geometry::ThreadsY:
    case Geometry::ThreadsZ:
        return {1, threads};
    case Geometry::BlockX:
    case Geometry::BlockY:
    case Geometry::BlockZ:
        return {0, blocks - 1};
    default:
        return {1, blocks};
    }
}

} // namespace warpbound::analyzer

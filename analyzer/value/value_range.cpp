#include "analyzer/value/value_range.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace warpbound::analyzer {

namespace {

constexpr std::uint64_t modulus = std::uint64_t{1} << 32U;

} // namespace

ValueRange::ValueRange(std::uint32_t first, std::uint64_t width)
    : first_{width >= largest ? 0 : first}, width_{width >= largest
                                                       ? largest
                                                       : static_cast<std::uint32_t>(width)} {}

ValueRange ValueRange::between(std::uint64_t lo, std::uint64_t hi) {
    return {static_cast<std::uint32_t>(lo), hi - lo};
}

std::optional<std::uint32_t> ValueRange::unsigned_last() const {
    const std::uint64_t last = std::uint64_t{first_} + width_;
    return last < modulus ? std::optional{static_cast<std::uint32_t>(last)} : std::nullopt;
}

ValueRange::Ends ValueRange::ends(bool is_signed) const {
    // Signed order is unsigned order of the numbers plus 2^31.
    const std::uint32_t offset = is_signed ? std::uint32_t{1} << 31U : 0;
    const auto lo = std::int64_t{first_ + offset};
    const std::int64_t hi = lo + width_;
    if (hi >= std::int64_t{modulus}) return {-std::int64_t{offset}, std::int64_t{largest} - offset};
    return {lo - offset, hi - offset};
}

ValueRange operator+(const ValueRange& a, const ValueRange& b) {
    return {a.first_ + b.first_, std::uint64_t{a.width_} + b.width_};
}

ValueRange ValueRange::negated() const {
    return {0 - (first_ + width_), width_};
}

ValueRange operator*(const ValueRange& a, const ValueRange& b) {
    if (!a.value() && !b.value()) {
        const auto last = a.unsigned_last();
        const auto other = b.unsigned_last();
        if (!last || !other || std::uint64_t{*last} * *other >= modulus) return {};
        return ValueRange::between(std::uint64_t{a.first_} * b.first_,
                                   std::uint64_t{*last} * *other);
    }
    const ValueRange& range = a.value() ? b : a;
    const std::uint32_t factor = a.value() ? *a.value() : *b.value();
    if (factor >= std::uint32_t{1} << 31U) return (range * ValueRange{0 - factor}).negated();
    return {range.first_ * factor, std::uint64_t{range.width_} * factor};
}

ValueRange ValueRange::shifted_right(unsigned by, bool is_signed) const {
    const Ends numbers = ends(is_signed);
    return {static_cast<std::uint32_t>(numbers.lo >> by),
            static_cast<std::uint64_t>((numbers.hi >> by) - (numbers.lo >> by))};
}

ValueRange ValueRange::high_product(std::uint32_t factor) const {
    const auto last = unsigned_last();
    if (!last) return factor == 0 ? ValueRange{0U} : between(0, factor - 1U);
    return between(std::uint64_t{first_} * factor >> 32U, std::uint64_t{*last} * factor >> 32U);
}

std::uint32_t ValueRange::common_bits() const {
    const auto last = unsigned_last();
    if (!last) return 0;
    std::uint32_t differing = first_ ^ *last;
    for (const unsigned by : {1U, 2U, 4U, 8U, 16U}) // All bits below the highest one.
        differing |= differing >> by;
    return ~differing;
}

ValueRange ValueRange::widened_to(const ValueRange& next,
                                  const std::vector<std::int32_t>& thresholds) const {
    const Ends own = ends(true);
    const Ends grown = next.ends(true);
    const auto above = std::lower_bound(thresholds.begin(), thresholds.end(), grown.hi);
    const auto below = std::upper_bound(thresholds.begin(), thresholds.end(), grown.lo);
    if ((grown.hi > own.hi && above == thresholds.end()) ||
        (grown.lo < own.lo && below == thresholds.begin()))
        return {};
    const std::int64_t hi = grown.hi > own.hi ? *above : own.hi;
    const std::int64_t lo = grown.lo < own.lo ? *std::prev(below) : own.lo;
    return {static_cast<std::uint32_t>(lo), static_cast<std::uint64_t>(hi - lo)};
}

std::optional<ValueRange> ValueRange::without(std::uint32_t value) const {
    if (width_ == 0) return value == first_ ? std::nullopt : std::optional{*this};
    if (is_any()) return *this;
    if (value == first_) return ValueRange{first_ + 1, std::uint64_t{width_} - 1};
    if (value == first_ + width_) return ValueRange{first_, std::uint64_t{width_} - 1};
    return *this;
}

std::optional<ValueRange> ValueRange::where(Comparator comparator, bool is_signed,
                                            const ValueRange& other) const {
    if (comparator == Comparator::NotEqual)
        return other.value() ? without(*other.value()) : std::optional{*this};
    const Ends own = ends(is_signed);
    const Ends limit = other.ends(is_signed);
    Ends kept = own;
    if (comparator == Comparator::Less) kept.hi = std::min(own.hi, limit.hi - 1);
    if (comparator == Comparator::LessEqual || comparator == Comparator::Equal)
        kept.hi = std::min(own.hi, limit.hi);
    if (comparator == Comparator::Greater) kept.lo = std::max(own.lo, limit.lo + 1);
    if (comparator == Comparator::GreaterEqual || comparator == Comparator::Equal)
        kept.lo = std::max(own.lo, limit.lo);
    if (kept.lo > kept.hi) return std::nullopt;
    // A range that wraps around in this order may be narrower than what is left of the order.
    const auto width = static_cast<std::uint64_t>(kept.hi - kept.lo);
    return width < width_ ? ValueRange{static_cast<std::uint32_t>(kept.lo), width} : *this;
}

ValueRange ValueRange::join(const ValueRange& other) const {
    // The shorter of the two ranges that begin with one and end with the other, or either.
    const auto covering = [](const ValueRange& from, const ValueRange& to) {
        const std::uint64_t reach = std::uint64_t{to.first_ - from.first_} + to.width_;
        return ValueRange{from.first_, std::max<std::uint64_t>(from.width_, reach)};
    };
    const ValueRange one = covering(*this, other);
    const ValueRange two = covering(other, *this);
    return one.width_ <= two.width_ ? one : two;
}

ValueRange looked_up(const ValueRange& a, const ValueRange& b, const ValueRange& c, unsigned table,
                     bool same) {
    const std::array<const ValueRange*, 3> inputs{&a, &b, &c};
    // Bits that are 1, and that may be 1, for all bits of inputs that are not known: those below
    // the ones that a range has in common.
    const auto chosen = [](const ValueRange& input, bool ones) {
        const std::uint32_t open = ~input.common_bits();
        return ones ? input.least() | open : input.least() & ~open;
    };
    std::uint32_t always = ~std::uint32_t{0};
    std::uint32_t ever = 0;
    for (unsigned choice = 0; choice < 8; ++choice) {
        std::array<std::uint32_t, 3> word{};
        for (std::size_t i = 0; i < inputs.size(); ++i)
            word[i] = chosen(*inputs[i], ((choice >> i) & 1U) != 0);
        if (same && word[0] != word[1]) continue;
        std::uint32_t result = 0;
        for (unsigned row = 0; row < 8; ++row)
            if (((table >> row) & 1U) != 0)
                result |= ((row & 4U) != 0 ? word[0] : ~word[0]) &
                          ((row & 2U) != 0 ? word[1] : ~word[1]) &
                          ((row & 1U) != 0 ? word[2] : ~word[2]);
        always &= result;
        ever |= result;
    }
    if (always == ever) return ValueRange{always};
    std::uint32_t most = ever;
    // x & y is no greater than either.
    constexpr unsigned conjunction_of_two = 0xc0;
    if ((table & 0xffU) == conjunction_of_two)
        for (const ValueRange* input : {&a, &b})
            most = std::min(most, input->unsigned_last().value_or(most));
    return ValueRange::between(always, std::max(always, most));
}

std::optional<bool> compare(Comparator comparator, bool is_signed, const ValueRange& left,
                            const ValueRange& right) {
    using Truth = std::optional<bool>;
    const auto inverted = [](Truth truth) { return truth ? Truth{!*truth} : truth; };
    const ValueRange::Ends a = left.ends(is_signed);
    const ValueRange::Ends b = right.ends(is_signed);
    const auto less = [](const ValueRange::Ends& one, const ValueRange::Ends& other) -> Truth {
        if (one.hi < other.lo) return true;
        return one.lo >= other.hi ? Truth{false} : std::nullopt;
    };
    const auto equal = [&]() -> Truth {
        const ValueRange difference = left + right.negated();
        if (difference.value()) return *difference.value() == 0;
        return a.hi < b.lo || b.hi < a.lo ? Truth{false} : std::nullopt;
    };
    switch (comparator) {
    case Comparator::Less:
        return less(a, b);
    case Comparator::GreaterEqual:
        return inverted(less(a, b));
    case Comparator::Greater:
        return less(b, a);
    case Comparator::LessEqual:
        return inverted(less(b, a));
    case Comparator::Equal:
        return equal();
    case Comparator::NotEqual:
        return inverted(equal());
    }
    return std::nullopt;
}

} // namespace warpbound::analyzer

#include "analyzer/value/value_range.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

namespace warpbound::analyzer {

namespace {

constexpr std::uint64_t modulus = std::uint64_t{1} << 32U;
constexpr unsigned most_low_bits = 31;

} // namespace

ValueRange::ValueRange(std::uint32_t first, std::uint64_t width, unsigned low_bits)
    : first_{first}, low_bits_{std::min(low_bits, most_low_bits)} {
    width -= width % step();
    if (width >= modulus - step()) { // Every number with these low bits.
        first_ = first % step();
        width = modulus - step();
    }
    width_ = static_cast<std::uint32_t>(width);
    if (width_ == 0) low_bits_ = 0;
}

std::optional<ValueRange> ValueRange::aligned(std::int64_t lo, std::int64_t hi, std::uint32_t first,
                                              unsigned low_bits) {
    const std::uint32_t below = (std::uint32_t{1} << std::min(low_bits, most_low_bits)) - 1;
    if (lo > hi) return std::nullopt;
    lo += (first - static_cast<std::uint32_t>(lo)) & below;
    hi -= (static_cast<std::uint32_t>(hi) - first) & below;
    if (lo > hi) return std::nullopt;
    return ValueRange{static_cast<std::uint32_t>(lo), static_cast<std::uint64_t>(hi - lo),
                      low_bits};
}

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
    return {a.first_ + b.first_, std::uint64_t{a.width_} + b.width_,
            std::min(a.low_bits(), b.low_bits())};
}

ValueRange ValueRange::negated() const {
    return {0 - (first_ + width_), width_, low_bits()};
}

ValueRange operator*(const ValueRange& a, const ValueRange& b) {
    if (!a.value() && !b.value()) {
        const auto last = a.unsigned_last();
        const auto other = b.unsigned_last();
        if (!last || !other || std::uint64_t{*last} * *other >= modulus) return {};
        const std::uint64_t least = std::uint64_t{a.first_} * b.first_;
        return {static_cast<std::uint32_t>(least), std::uint64_t{*last} * *other - least,
                std::min(a.low_bits(), b.low_bits())};
    }
    const ValueRange& range = a.value() ? b : a;
    const std::uint32_t factor = a.value() ? *a.value() : *b.value();
    if (factor == 0) return ValueRange{0U};
    if (factor > std::uint32_t{1} << 31U) return (range * ValueRange{0 - factor}).negated();
    return {range.first_ * factor, std::uint64_t{range.width_} * factor,
            range.low_bits() + static_cast<unsigned>(std::countr_zero(factor))};
}

ValueRange ValueRange::shifted_right(unsigned by, bool is_signed) const {
    const Ends numbers = ends(is_signed);
    const bool in_order = static_cast<std::uint32_t>(numbers.lo) == first_ &&
                          numbers.hi - numbers.lo == std::int64_t{width_};
    return {static_cast<std::uint32_t>(numbers.lo >> by),
            static_cast<std::uint64_t>((numbers.hi >> by) - (numbers.lo >> by)),
            in_order && low_bits_ > by ? low_bits_ - by : 0};
}

std::uint32_t ValueRange::common_bits() const {
    const std::uint32_t low = step() - 1;
    const auto last = unsigned_last();
    if (!last) return low;
    std::uint32_t differing = first_ ^ *last;
    for (const unsigned by : {1U, 2U, 4U, 8U, 16U}) // All bits below the highest one.
        differing |= differing >> by;
    return ~differing | low;
}

ValueRange ValueRange::widened_to(const ValueRange& next,
                                  const std::vector<std::int32_t>& thresholds) const {
    const Ends own = ends(true);
    const Ends grown = next.ends(true);
    const auto above = std::lower_bound(thresholds.begin(), thresholds.end(), grown.hi);
    const auto below = std::upper_bound(thresholds.begin(), thresholds.end(), grown.lo);
    if ((grown.hi > own.hi && above == thresholds.end()) ||
        (grown.lo < own.lo && below == thresholds.begin()))
        return {next.first_, largest, next.low_bits()};
    const std::int64_t hi = grown.hi > own.hi ? *above : own.hi;
    const std::int64_t lo = grown.lo < own.lo ? *std::prev(below) : own.lo;
    return aligned(lo, hi, next.first_, next.low_bits()).value_or(ValueRange{});
}

std::optional<ValueRange> ValueRange::without(std::uint32_t value) const {
    if (width_ == 0) return value == first_ ? std::nullopt : std::optional{*this};
    if (width_ == largest - (step() - 1)) return *this; // Every number with these low bits.
    if (value == first_)
        return ValueRange{first_ + step(), std::uint64_t{width_} - step(), low_bits_};
    if (value == first_ + width_)
        return ValueRange{first_, std::uint64_t{width_} - step(), low_bits_};
    return *this;
}

std::optional<ValueRange> ValueRange::where(Comparator comparator, bool is_signed,
                                            const ValueRange& other) const {
    if (comparator == Comparator::NotEqual)
        return other.value() ? without(*other.value()) : std::optional{*this};
    const Ends all = ValueRange{}.ends(is_signed);
    const Ends limit = other.ends(is_signed);
    Ends kept = all;
    if (comparator == Comparator::Less) kept.hi = limit.hi - 1;
    if (comparator == Comparator::LessEqual || comparator == Comparator::Equal) kept.hi = limit.hi;
    if (comparator == Comparator::Greater) kept.lo = limit.lo + 1;
    if (comparator == Comparator::GreaterEqual || comparator == Comparator::Equal)
        kept.lo = limit.lo;
    // In this order the range is one interval, or one up to the last number and one from the first.
    const std::int64_t begin = ValueRange{first_}.ends(is_signed).lo;
    const std::int64_t end = begin + width_;
    const auto part = [&](std::int64_t lo, std::int64_t hi) {
        return aligned(std::max(lo, kept.lo), std::min(hi, kept.hi), first_, low_bits());
    };
    if (end <= all.hi) return part(begin, end);
    const auto upper = part(begin, all.hi);
    const auto lower = part(all.lo, end - static_cast<std::int64_t>(modulus));
    if (!upper || !lower) return upper ? upper : lower;
    const std::uint32_t last = lower->first_ + lower->width_;
    return ValueRange{upper->first_, std::uint64_t{last - upper->first_}, low_bits()};
}

std::optional<ValueRange> ValueRange::within(const ValueRange& other) const {
    for (const bool is_signed : {false, true}) {
        const Ends limits = other.ends(is_signed);
        if (limits.hi - limits.lo != std::int64_t{other.width_}) continue; // It wraps around.
        const auto above = where(Comparator::GreaterEqual, is_signed,
                                 ValueRange{static_cast<std::uint32_t>(limits.lo)});
        if (!above) return std::nullopt;
        return above->where(Comparator::LessEqual, is_signed,
                            ValueRange{static_cast<std::uint32_t>(limits.hi)});
    }
    return *this;
}

std::optional<ValueRange> ValueRange::masked(std::uint32_t mask) const {
    const std::uint32_t lost = (first_ | ~common_bits()) & ~mask; // Bits of some number.
    if (lost == 0) return *this;
    const auto zeros = static_cast<unsigned>(std::countr_zero(mask));
    if (mask == 0 || lost >> zeros != 0) return std::nullopt;
    return without_low_bits(zeros);
}

ValueRange ValueRange::without_low_bits(unsigned count) const {
    const std::uint32_t kept = ~((std::uint32_t{1} << count) - 1);
    const auto last = unsigned_last();
    const ValueRange numbers =
        last ? between(first_ & kept, *last & kept) : between(0, largest & kept);
    return numbers.with_low_bits(count);
}

ValueRange ValueRange::join(const ValueRange& other) const {
    // The shorter of the two ranges that begin with one and end with the other, or either.
    const auto apart = static_cast<unsigned>(std::countr_zero(first_ ^ other.first_));
    const unsigned common = std::min({low_bits(), other.low_bits(), apart});
    const auto covering = [&](const ValueRange& from, const ValueRange& to) {
        const std::uint64_t reach = std::uint64_t{to.first_ - from.first_} + to.width_;
        return ValueRange{from.first_, std::max<std::uint64_t>(from.width_, reach), common};
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
    // What is known of one may not be known of the other: then their bits are chosen apart.
    const bool is_one_number = same && a == b;
    std::uint32_t always = ~std::uint32_t{0};
    std::uint32_t ever = 0;
    for (unsigned choice = 0; choice < 8; ++choice) {
        std::array<std::uint32_t, 3> word{};
        for (std::size_t i = 0; i < inputs.size(); ++i)
            word[i] = chosen(*inputs[i], ((choice >> i) & 1U) != 0);
        if (is_one_number && word[0] != word[1]) continue;
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
    const auto numbers = ValueRange::between(always, std::max(always, most));
    return numbers.with_low_bits(static_cast<unsigned>(std::countr_zero(always ^ ever)));
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
        if (!difference.may_be_zero()) return false;
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

#include "certification/verify/flow/number_set.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace warpbound::certification::verify {

namespace {

constexpr std::uint64_t circle = std::uint64_t{1} << 32U;

/// The largest power of two up to 2^32 that divides a step.
std::uint64_t low_bits_of(std::uint64_t step) {
    if (step == 0) return circle;
    return std::uint64_t{1} << std::min(std::countr_zero(step), 32);
}

std::int64_t down_to(std::int64_t number, unsigned bits) {
    return number >> bits; // Arithmetic since C++20: rounds down.
}

/// 2^n - 1 with the least n for which it is at least `number`.
std::int64_t filled(std::int64_t number) {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(number) + std::uint64_t{1}) - 1);
}

NumberSet shifted_view(const NumberSet::View& view, unsigned bits) {
    const std::uint64_t unit = std::uint64_t{1} << bits;
    const std::uint64_t step =
        view.step % unit == 0 ? std::max(view.step / unit, std::uint64_t{1}) : std::uint64_t{1};
    return NumberSet::range(down_to(view.lo, bits), down_to(view.hi, bits), step);
}

} // namespace

Order negation_of(Order order) {
    switch (order) {
    case Order::Less:
        return Order::AtLeast;
    case Order::AtMost:
        return Order::More;
    case Order::Equal:
        return Order::NotEqual;
    case Order::NotEqual:
        return Order::Equal;
    case Order::AtLeast:
        return Order::Less;
    default:
        return Order::AtMost;
    }
}

Order mirrored(Order order) {
    switch (order) {
    case Order::Less:
        return Order::More;
    case Order::AtMost:
        return Order::AtLeast;
    case Order::AtLeast:
        return Order::AtMost;
    case Order::More:
        return Order::Less;
    default:
        return order;
    }
}

NumberSet NumberSet::around(std::uint32_t first, std::uint64_t step) {
    const std::uint64_t unit = low_bits_of(step);
    if (unit == circle) return of(first);
    return {static_cast<std::uint32_t>(first % unit), circle - unit, unit};
}

NumberSet NumberSet::range(std::int64_t lo, std::int64_t hi, std::uint64_t step) {
    NumberSet set;
    if (hi < lo) {
        set.empty_ = true;
        set.first_ = 0;
        set.width_ = set.step_ = 0;
        return set;
    }
    const auto first = static_cast<std::uint32_t>(lo);
    auto width = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
    if (step == 0 || width == 0) return of(first);
    width -= width % step;
    if (width >= circle) return around(first, step);
    return {first, width, step};
}

NumberSet::View NumberSet::view(bool is_signed) const {
    const std::int64_t least = is_signed ? std::numeric_limits<std::int32_t>::min() : 0;
    const std::int64_t most = least + static_cast<std::int64_t>(full_width);
    const std::int64_t lo =
        is_signed ? std::int64_t{static_cast<std::int32_t>(first_)} : std::int64_t{first_};
    if (lo + static_cast<std::int64_t>(width_) <= most)
        return {lo, lo + static_cast<std::int64_t>(width_), step_};
    const auto unit = static_cast<std::int64_t>(low_bits_of(step_));
    const std::int64_t from = least + (((lo - least) % unit) + unit) % unit;
    return {from, from + (most - from) / unit * unit, static_cast<std::uint64_t>(unit)};
}

NumberSet operator+(const NumberSet& left, const NumberSet& right) {
    if (left.empty_ || right.empty_) return NumberSet::none();
    const std::uint64_t width = left.width_ + right.width_;
    const std::uint64_t step = std::gcd(left.step_, right.step_);
    const std::uint32_t first = left.first_ + right.first_;
    return width >= circle ? NumberSet::around(first, step) : NumberSet{first, width, step};
}

NumberSet operator-(const NumberSet& set) {
    if (set.empty_) return set;
    return {static_cast<std::uint32_t>(0 - (set.first_ + set.width_)), set.width_, set.step_};
}

NumberSet NumberSet::times(std::int32_t factor) const {
    const auto size = static_cast<std::uint64_t>(std::abs(std::int64_t{factor}));
    const auto product = [&](std::uint32_t number) {
        return number * static_cast<std::uint32_t>(factor);
    };
    const std::uint64_t width = width_ * size; // Below 2^63.
    if (width >= circle) return around(product(first_), step_ * size);
    const std::uint32_t low = factor < 0 ? first_ + static_cast<std::uint32_t>(width_) : first_;
    return {product(low), width, step_ * size};
}

NumberSet operator*(const NumberSet& left, const NumberSet& right) {
    if (left.empty_ || right.empty_) return NumberSet::none();
    if (right.is_single()) return left.times(static_cast<std::int32_t>(right.first_));
    if (left.is_single()) return right.times(static_cast<std::int32_t>(left.first_));
    const auto one = left.view(false);
    const auto other = right.view(false);
    const auto top = static_cast<std::uint64_t>(one.hi) * static_cast<std::uint64_t>(other.hi);
    if (top >= circle) return {};
    return NumberSet::range(one.lo * other.lo, static_cast<std::int64_t>(top));
}

NumberSet joined(const NumberSet& left, const NumberSet& right) {
    if (left.empty_) return right;
    if (right.empty_) return left;
    const auto arc = [](const NumberSet& from, const NumberSet& to) -> NumberSet {
        const std::uint64_t distance = to.first_ - from.first_;
        const std::uint64_t step = std::gcd(std::gcd(from.step_, to.step_), distance);
        const std::uint64_t width = std::max(from.width_, distance + to.width_);
        return width >= circle ? NumberSet::around(from.first_, step)
                               : NumberSet{from.first_, width, step};
    };
    const NumberSet one = arc(left, right);
    const NumberSet other = arc(right, left);
    return one.width_ <= other.width_ ? one : other;
}

NumberSet times_power_of_two(const NumberSet& set, unsigned bits) {
    if (set.empty()) return set;
    if (bits >= 32) return NumberSet::of(0);
    return set * NumberSet::of(std::uint32_t{1} << bits);
}

NumberSet quotient_by_power_of_two(const NumberSet& set, unsigned bits, bool is_signed) {
    if (set.empty()) return set;
    return shifted_view(set.view(is_signed), std::min(bits, 32U));
}

NumberSet conjunction(const NumberSet& left, const NumberSet& right) {
    if (left.empty() || right.empty()) return NumberSet::none();
    if (left.is_single() && right.is_single()) return NumberSet::of(left.first() & right.first());
    if (left.is_single()) return conjunction(right, left);
    if (right.is_single()) {
        const std::uint32_t mask = right.first();
        if (mask == ~std::uint32_t{0}) return left;
        const std::uint32_t cleared = ~mask;
        if (std::has_single_bit(std::uint64_t{mask} + 1)) { // Low bits.
            const std::uint64_t unit = std::uint64_t{mask} + 1;
            const auto view = left.view(false);
            const auto bits = static_cast<unsigned>(std::countr_zero(unit));
            if (view.lo >> bits == view.hi >> bits)
                return NumberSet::range(view.lo & mask, view.hi & mask, view.step);
            const std::uint64_t step = std::gcd(view.step, unit);
            return NumberSet::range(view.lo % static_cast<std::int64_t>(step), mask, step);
        }
        if (std::has_single_bit(std::uint64_t{cleared} + 1)) { // All but low bits.
            const auto bits = static_cast<unsigned>(std::countr_zero(std::uint64_t{cleared} + 1));
            return times_power_of_two(quotient_by_power_of_two(left, bits, true), bits);
        }
    }
    return NumberSet::range(0, std::min(left.view(false).hi, right.view(false).hi));
}

NumberSet disjunction(const NumberSet& left, const NumberSet& right, bool exclusive) {
    if (left.empty() || right.empty()) return NumberSet::none();
    if (left.is_single() && right.is_single())
        return NumberSet::of(exclusive ? left.first() ^ right.first()
                                       : left.first() | right.first());
    const auto one = left.view(false);
    const auto other = right.view(false);
    return NumberSet::range(exclusive ? 0 : std::max(one.lo, other.lo),
                            filled(std::max(one.hi, other.hi)));
}

NumberSet smaller(const NumberSet& left, const NumberSet& right, bool is_signed) {
    if (left.empty() || right.empty()) return NumberSet::none();
    const auto one = left.view(is_signed);
    const auto other = right.view(is_signed);
    const auto apart = static_cast<std::uint64_t>(std::abs(one.lo - other.lo));
    return NumberSet::range(std::min(one.lo, other.lo), std::min(one.hi, other.hi),
                            std::gcd(std::gcd(one.step, other.step), apart));
}

NumberSet larger(const NumberSet& left, const NumberSet& right, bool is_signed) {
    if (left.empty() || right.empty()) return NumberSet::none();
    const auto one = left.view(is_signed);
    const auto other = right.view(is_signed);
    const auto apart = static_cast<std::uint64_t>(std::abs(one.lo - other.lo));
    return NumberSet::range(std::max(one.lo, other.lo), std::max(one.hi, other.hi),
                            std::gcd(std::gcd(one.step, other.step), apart));
}

bool may_hold(Order order, bool is_signed, const NumberSet& left, const NumberSet& right) {
    return !narrowed(left, order, is_signed, right).empty();
}

NumberSet narrowed(const NumberSet& left, Order order, bool is_signed, const NumberSet& right) {
    if (left.empty() || right.empty()) return NumberSet::none();
    auto view = left.view(is_signed);
    const auto other = right.view(is_signed);
    const auto step = static_cast<std::int64_t>(view.step);
    const auto from = [&](std::int64_t least) { // Raises the low end to a number of the set.
        if (least <= view.lo) return;
        view.lo = step == 0 ? view.hi + 1 : view.lo + (least - view.lo + step - 1) / step * step;
    };
    const std::int64_t lo_before = view.lo;
    const std::int64_t hi_before = view.hi;
    switch (order) {
    case Order::Less:
        view.hi = std::min(view.hi, other.hi - 1);
        break;
    case Order::AtMost:
        view.hi = std::min(view.hi, other.hi);
        break;
    case Order::More:
        from(other.lo + 1);
        break;
    case Order::AtLeast:
        from(other.lo);
        break;
    case Order::Equal: {
        from(other.lo);
        view.hi = std::min(view.hi, other.hi);
        // Both in equal steps: they share a number only if their distance is a common multiple.
        const auto common = static_cast<std::int64_t>(std::gcd(view.step, other.step));
        const std::int64_t apart = lo_before - other.lo;
        if (common == 0 ? apart != 0 : apart % common != 0) return NumberSet::none();
        break;
    }
    case Order::NotEqual:
        if (!right.is_single()) break;
        if (view.lo == other.lo) from(other.lo + 1);
        if (view.hi == other.lo) view.hi -= step == 0 ? 1 : step;
        break;
    }
    // A set across the end of the range is not replaced by its coarser view.
    if (view.lo == lo_before && view.hi == hi_before) return left;
    return NumberSet::range(view.lo, view.hi, view.step);
}

} // namespace warpbound::certification::verify

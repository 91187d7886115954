#include "certification/verify/flow/bits_by_table.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpbound::certification::verify {

namespace {

/// From the bits that all numbers of an input share: its lowest ones, and those above the
/// highest one in which its ends differ.
NumberSet bit_by_bit(unsigned table, const std::array<NumberSet, 3>& inputs) {
    std::array<std::uint32_t, 3> ones{};
    std::array<std::uint32_t, 3> shared{};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto view = inputs.at(i).view(false);
        ones.at(i) = static_cast<std::uint32_t>(view.lo);
        const auto differing = static_cast<std::uint32_t>(view.lo ^ view.hi);
        const auto low = static_cast<std::uint32_t>((view.step & (~view.step + 1)) - 1);
        shared.at(i) =
            differing == 0
                ? ~0U
                : ~static_cast<std::uint32_t>(std::bit_ceil(std::uint64_t{differing} + 1) - 1) |
                      low;
    }
    std::uint32_t always = 0;
    std::uint32_t ever = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
        bool may_be_zero = false;
        for (unsigned row = 0; row < 8; ++row) {
            bool is_possible = true;
            for (unsigned i = 0; i < 3; ++i)
                is_possible = is_possible && ((shared.at(i) >> bit & 1U) == 0 ||
                                              (ones.at(i) >> bit & 1U) == (row >> (2 - i) & 1U));
            if (!is_possible) continue;
            if ((table >> row & 1U) != 0)
                ever |= 1U << bit;
            else
                may_be_zero = true;
        }
        if (!may_be_zero) always |= 1U << bit;
    }
    if (always == ever) return NumberSet::of(always);
    return NumberSet::range(always, ever, std::uint64_t{1} << std::countr_zero(always ^ ever));
}

/// Sources that are all zeros or all ones are put in first.
NumberSet result_of_table(unsigned table, const std::array<NumberSet, 3>& inputs) {
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned weight = 4U >> i;
        if (!inputs.at(i).is_single()) continue;
        const std::uint32_t bits = inputs.at(i).first();
        if (bits != 0 && bits != ~std::uint32_t{0}) continue;
        unsigned fixed = 0; // The same whatever this source is.
        for (unsigned row = 0; row < 8; ++row)
            if ((table >> (bits == 0 ? row & ~weight : row | weight) & 1U) != 0) fixed |= 1U << row;
        table = fixed;
    }
    const auto& [a, b, c] = inputs;
    const std::array<std::pair<unsigned, std::pair<const NumberSet*, const NumberSet*>>, 3> ands{
        {{0xc0, {&a, &b}}, {0xa0, {&a, &c}}, {0x88, {&b, &c}}}};
    for (const auto& [rows, sides] : ands)
        if (table == rows) return conjunction(*sides.first, *sides.second);
    const std::array<std::pair<unsigned, std::pair<const NumberSet*, const NumberSet*>>, 3> ors{
        {{0xfc, {&a, &b}}, {0xfa, {&a, &c}}, {0xee, {&b, &c}}}};
    for (const auto& [rows, sides] : ors)
        if (table == rows) return disjunction(*sides.first, *sides.second, false);
    const std::array<std::pair<unsigned, std::pair<const NumberSet*, const NumberSet*>>, 3>
        differences{{{0x3c, {&a, &b}}, {0x5a, {&a, &c}}, {0x66, {&b, &c}}}};
    for (const auto& [rows, sides] : differences)
        if (table == rows) return disjunction(*sides.first, *sides.second, true);
    switch (table) {
    case 0x00:
        return NumberSet::of(0);
    case 0xff:
        return NumberSet::of(~std::uint32_t{0});
    case 0xf0:
        return a;
    case 0xcc:
        return b;
    case 0xaa:
        return c;
    case 0x0f:
        return ~a;
    case 0x33:
        return ~b;
    case 0x55:
        return ~c;
    case 0x30: // a and not b.
        return conjunction(a, ~b);
    case 0x0c:
        return conjunction(~a, b);
    default:
        return {};
    }
}

} // namespace

NumberSet bits_by_table(unsigned table, const std::array<NumberSet, 3>& inputs) {
    if (std::any_of(inputs.begin(), inputs.end(),
                    [](const NumberSet& input) { return input.empty(); }))
        return NumberSet::none();
    const NumberSet by_operation = result_of_table(table, inputs);
    const NumberSet by_bits = bit_by_bit(table, inputs);
    return by_bits.step() > by_operation.step()
               ? narrowed(by_bits, Order::Equal, false, by_operation)
               : narrowed(by_operation, Order::Equal, false, by_bits);
}

} // namespace warpbound::certification::verify

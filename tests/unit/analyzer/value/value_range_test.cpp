/// \file
/// Ranges with known low bits hold what operations on their numbers give.

#include "analyzer/value/range_functions.hpp"
#include "analyzer/value/value_range.hpp"
#include "tests/support/random_source.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace warpbound::analyzer {
namespace {

using tests::RandomSource;

bool contains(const ValueRange& range, std::uint32_t number) {
    return range.join(ValueRange{number}) == range;
}

std::string text_of(const ValueRange& range) {
    return fmt::format("{} of {} low bits", range.least(), range.low_bits());
}

/// A range and one of its numbers.
struct Drawn {
    ValueRange range;
    std::uint32_t number = 0;
};

Drawn draw(RandomSource& random) {
    const auto near = static_cast<std::uint32_t>(random.whole(0, 2) << 30U);
    const auto first = near + static_cast<std::uint32_t>(random.whole(-40, 40));
    const auto bits = static_cast<unsigned>(random.whole(0, 4));
    const auto count = random.whole(0, 1) == 0 ? random.whole(0, 20) : random.whole(0, 1 << 27);
    const auto step = std::uint32_t{1} << bits;
    const auto width = static_cast<std::uint64_t>(count) * step;
    if (random.whole(0, 12) == 0)
        return {ValueRange{}, static_cast<std::uint32_t>(random.whole(0, 0xffffffff))};
    const auto place = static_cast<std::uint32_t>(random.whole(0, count));
    return {(ValueRange{first} + ValueRange::between(0, width)).with_low_bits(bits),
            first + place * step};
}

std::uint32_t shifted(std::uint32_t number, unsigned by, bool is_signed) {
    return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(number) >> by)
                     : number >> by;
}

TEST(ValueRange, HoldsWhatOperationsOnItsNumbersGive) {
    RandomSource random{7};
    for (int round = 0; round < 40'000; ++round) {
        const Drawn a = draw(random);
        const Drawn b = draw(random);
        const auto check = [&](const char* name, const ValueRange& range, std::uint32_t number) {
            ASSERT_TRUE(contains(range, number))
                << name << " of " << a.number << " (" << text_of(a.range) << ") and " << b.number
                << " (" << text_of(b.range) << ") in " << text_of(range);
        };
        const auto by = static_cast<unsigned>(random.whole(0, 31));
        const auto constant = static_cast<std::uint32_t>(random.whole(-9, 9)) << (by % 8);
        check("itself", a.range, a.number);
        check("sum", a.range + b.range, a.number + b.number);
        check("negated", a.range.negated(), 0 - a.number);
        check("product", a.range * b.range, a.number * b.number);
        check("multiple", a.range * ValueRange{constant}, a.number * constant);
        check("shifted left", a.range * ValueRange{std::uint32_t{1} << by}, a.number << by);
        check("shifted right", a.range.shifted_right(by, false), shifted(a.number, by, false));
        check("shifted signed", a.range.shifted_right(by, true), shifted(a.number, by, true));
        check("join", a.range.join(b.range), a.number);
        check("join", a.range.join(b.range), b.number);
        check("without low bits", a.range.without_low_bits(by), a.number >> by << by);
        if (const auto masked = a.range.masked(constant))
            check("masked", *masked, a.number & constant);
        check("and", looked_up(a.range, b.range, ValueRange{0U}, 0xc0, false), a.number & b.number);
        check("xor", looked_up(a.range, b.range, ValueRange{0U}, 0x3c, false), a.number ^ b.number);
        check("widened", a.range.widened_to(a.range.join(b.range), {-100, 0, 50, 1 << 30}),
              b.number);
        if (contains(b.range, a.number)) {
            ASSERT_TRUE(a.range.within(b.range));
            check("within", *a.range.within(b.range), a.number);
            check("or itself", looked_up(a.range, b.range, ValueRange{0U}, 0xfc, true), a.number);
            check("xor itself", looked_up(a.range, b.range, ValueRange{0U}, 0x3c, true), 0);
        }
        check("absolute", absolute(a.range),
              static_cast<std::int32_t>(a.number) < 0 ? 0 - a.number : a.number);
        check("ones", count_of_ones(a.range), static_cast<std::uint32_t>(std::popcount(a.number)));
        const auto zeros = static_cast<std::uint32_t>(std::countl_zero(a.number));
        check("highest", highest_one(a.range, false), 31 - zeros);
        check("zeros before", highest_one(a.range, true), zeros == 32 ? ~0U : zeros);
        check("smaller", extreme(a.range, b.range, false, true), std::min(a.number, b.number));
        check("larger", extreme(a.range, b.range, true, false),
              static_cast<std::uint32_t>(std::max(static_cast<std::int32_t>(a.number),
                                                  static_cast<std::int32_t>(b.number))));
        check("lower half", permuted_bytes(a.range, 0x7710, ValueRange{0U}), a.number & 0xffffU);
        check("byte", permuted_bytes(a.range, 0x4442, ValueRange{0U}), a.number >> 16U & 0xffU);
        check("signed half", permuted_bytes(a.range, 0x9910, ValueRange{0U}),
              static_cast<std::uint32_t>(static_cast<std::int16_t>(a.number & 0xffffU)));
        for (const bool is_signed : {false, true})
            for (const auto comparator :
                 {Comparator::Less, Comparator::LessEqual, Comparator::Equal, Comparator::NotEqual,
                  Comparator::GreaterEqual, Comparator::Greater}) {
                const auto known = compare(comparator, is_signed, a.range, b.range);
                const auto one =
                    compare(comparator, is_signed, ValueRange{a.number}, ValueRange{b.number});
                ASSERT_TRUE(!known || known == one) << text_of(a.range) << text_of(b.range);
                const auto kept = a.range.where(comparator, is_signed, b.range);
                if (one == true) {
                    ASSERT_TRUE(kept);
                    check("where", *kept, a.number);
                }
            }
    }
}

// 64 numbers less 16 each: 0 is not among 4, 20, 36, ..; it is among 0, 16, 32, ..
TEST(ValueRange, KnowsLowBits) {
    const ValueRange steps = ValueRange::between(0, 63).without_low_bits(4);
    EXPECT_EQ(steps.low_bits(), 4U);
    EXPECT_EQ(steps.ends(false).hi, 48);
    EXPECT_EQ(compare(Comparator::Equal, false, steps + ValueRange{4U}, ValueRange{0U}), false);
    EXPECT_EQ(compare(Comparator::Equal, false, steps, ValueRange{0U}), std::nullopt);
    const auto rest = steps.where(Comparator::NotEqual, false, ValueRange{0U});
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->ends(false).lo, 16);
    EXPECT_EQ((ValueRange{} * ValueRange{std::uint32_t{1} << 31U}).low_bits(), 31U);
}

} // namespace
} // namespace warpbound::analyzer

#pragma once
/// \file
/// Ranges of 32-bit numbers with known low bits: the domain of abstract execution (S16a, S70).

#include "analyzer/value/predicate.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// The numbers first, first + step, .., first + width, modulo 2^32, where step is a power of two.
class ValueRange {
public:
    /// Any number.
    ValueRange() = default;
    explicit ValueRange(std::uint32_t value) : first_{value}, width_{0} {}
    /// From `lo` to `hi`, inclusive. Requires: 0 <= lo <= hi < 2^32.
    static ValueRange between(std::uint64_t lo, std::uint64_t hi);

    [[nodiscard]] bool is_any() const { return width_ == largest; }
    /// How many low bits all numbers have in common: at most 31, 32 where there is only one.
    [[nodiscard]] unsigned low_bits() const { return width_ == 0 ? 32U : low_bits_; }
    /// The value, if there is only one.
    [[nodiscard]] std::optional<std::uint32_t> value() const {
        return width_ == 0 ? std::optional{first_} : std::nullopt;
    }
    /// The first number, from which the range counts up.
    [[nodiscard]] std::uint32_t least() const { return first_; }
    /// The largest number, if the range does not wrap around in unsigned order.
    [[nodiscard]] std::optional<std::uint32_t> unsigned_last() const;
    /// Least and largest number in the order of the comparison.
    struct Ends {
        std::int64_t lo = 0;
        std::int64_t hi = 0;
    };
    [[nodiscard]] Ends ends(bool is_signed) const;

    friend ValueRange operator+(const ValueRange& a, const ValueRange& b);
    friend ValueRange operator*(const ValueRange& a, const ValueRange& b);
    friend bool operator==(const ValueRange&, const ValueRange&) = default;
    [[nodiscard]] ValueRange negated() const;
    /// The numbers that agree with the first one in so many low bits.
    [[nodiscard]] ValueRange with_low_bits(unsigned low_bits) const {
        return {first_, width_, low_bits};
    }
    /// False where the low bits exclude it.
    [[nodiscard]] bool may_be_zero() const { return first_ % step() == 0; }
    /// Shift right by `by` bits, below 32.
    [[nodiscard]] ValueRange shifted_right(unsigned by, bool is_signed) const;
    /// A range that contains both.
    [[nodiscard]] ValueRange join(const ValueRange& other) const;
    /// Grows to contain `next`, which contains this range: each end that moves in signed order goes
    /// to the next threshold; any number where there is none.
    [[nodiscard]] ValueRange widened_to(const ValueRange& next,
                                        const std::vector<std::int32_t>& thresholds) const;
    /// Bits that all numbers of the range have in common: the mask of those bits.
    [[nodiscard]] std::uint32_t common_bits() const;
    /// A range with every number of this one for which the comparison with some number of `other`
    /// holds; nothing where there is none.
    [[nodiscard]] std::optional<ValueRange> where(Comparator comparator, bool is_signed,
                                                  const ValueRange& other) const;

    /// A range with every number of this one that is in `other`; nothing where there is none.
    [[nodiscard]] std::optional<ValueRange> within(const ValueRange& other) const;
    /// With a mask that keeps all but low bits, or all bits that are 1 in some number; else
    /// nothing.
    [[nodiscard]] std::optional<ValueRange> masked(std::uint32_t mask) const;
    /// The numbers with this many low bits set to zero.
    [[nodiscard]] ValueRange without_low_bits(unsigned count) const;

private:
    static constexpr std::uint32_t largest = ~std::uint32_t{0};
    ValueRange(std::uint32_t first, std::uint64_t width, unsigned low_bits = 0);
    /// The numbers of the same low bits as `first` from lo to hi; nothing where there is none.
    static std::optional<ValueRange> aligned(std::int64_t lo, std::int64_t hi, std::uint32_t first,
                                             unsigned low_bits);
    [[nodiscard]] std::uint32_t step() const { return std::uint32_t{1} << low_bits_; }
    [[nodiscard]] std::optional<ValueRange> without(std::uint32_t value) const;

    std::uint32_t first_ = 0;
    std::uint32_t width_ = largest; ///< A multiple of the step.
    unsigned low_bits_ = 0;         ///< At most 31; 0 where there is one number.
};

/// Bitwise function as of LOP3: bit 4a + 2b + c of `table` for the bits a, b, c.
/// `same`: the first two inputs are the same number.
ValueRange looked_up(const ValueRange& a, const ValueRange& b, const ValueRange& c, unsigned table,
                     bool same);

/// Whether the comparison holds; nothing where it holds for some of the numbers only.
std::optional<bool> compare(Comparator comparator, bool is_signed, const ValueRange& left,
                            const ValueRange& right);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Sets of 32-bit numbers in equal steps around the circle of residues: what a register may hold.

#include <cstdint>

namespace warpbound::certification::verify {

/// How two numbers are compared.
enum class Order { Less, AtMost, Equal, NotEqual, AtLeast, More };
/// The comparison that holds where `order` fails.
Order negation_of(Order order);
/// The comparison with its sides exchanged.
Order mirrored(Order order);

/// first, first + step, .., first + width, modulo 2^32. `step` is 0 where `width` is 0, and divides
/// `width` else. Width is below 2^32. May be empty.
class NumberSet {
public:
    /// All numbers.
    NumberSet() = default;
    static NumberSet of(std::uint32_t number) { return {number, 0, 0}; }
    /// The integers lo, lo + step, .. up to hi, each modulo 2^32. Empty where hi < lo.
    static NumberSet range(std::int64_t lo, std::int64_t hi, std::uint64_t step = 1);
    static NumberSet none() { return range(1, 0); }

    [[nodiscard]] bool empty() const { return empty_; }
    [[nodiscard]] bool is_single() const { return !empty_ && width_ == 0; }
    [[nodiscard]] bool is_all() const { return !empty_ && width_ == full_width && step_ == 1; }
    [[nodiscard]] std::uint32_t first() const { return first_; }
    [[nodiscard]] std::uint64_t step() const { return step_; }

    /// Least and largest number, read with or without sign; those of all numbers that have the
    /// set's low bits where it lies across the end of the range.
    struct View {
        std::int64_t lo = 0;
        std::int64_t hi = 0;
        std::uint64_t step = 0;
    };
    [[nodiscard]] View view(bool is_signed) const;

    friend bool operator==(const NumberSet&, const NumberSet&) = default;
    friend NumberSet operator+(const NumberSet& left, const NumberSet& right);
    friend NumberSet operator-(const NumberSet& set);
    friend NumberSet operator~(const NumberSet& set) { return -set + of(~std::uint32_t{0}); }
    friend NumberSet operator*(const NumberSet& left, const NumberSet& right);
    /// A set that holds the numbers of both.
    friend NumberSet joined(const NumberSet& left, const NumberSet& right);

private:
    static constexpr std::uint64_t full_width = 0xffffffffU;
    NumberSet(std::uint32_t first, std::uint64_t width, std::uint64_t step)
        : first_{first}, width_{width}, step_{width == 0 ? 0 : step} {}
    /// Those that agree with `first` modulo the largest power of two that divides `step`.
    static NumberSet around(std::uint32_t first, std::uint64_t step);
    [[nodiscard]] NumberSet times(std::int32_t factor) const;

    std::uint32_t first_ = 0;
    std::uint64_t width_ = full_width;
    std::uint64_t step_ = 1;
    bool empty_ = false;
};

NumberSet times_power_of_two(const NumberSet& set, unsigned bits);
NumberSet quotient_by_power_of_two(const NumberSet& set, unsigned bits, bool is_signed);
/// Bit by bit: `left` and `right`.
NumberSet conjunction(const NumberSet& left, const NumberSet& right);
/// Bit by bit: `left` or `right`; of `exclusive`, one of both.
NumberSet disjunction(const NumberSet& left, const NumberSet& right, bool exclusive);
NumberSet smaller(const NumberSet& left, const NumberSet& right, bool is_signed);
NumberSet larger(const NumberSet& left, const NumberSet& right, bool is_signed);

/// Whether `left order right` may hold for numbers of both.
bool may_hold(Order order, bool is_signed, const NumberSet& left, const NumberSet& right);
/// Numbers of `left`, and perhaps more of them, for which `left order right` may hold.
NumberSet narrowed(const NumberSet& left, Order order, bool is_signed, const NumberSet& right);

} // namespace warpbound::certification::verify

#pragma once
/// \file
/// Counts of clock ticks. Ticks of different clocks are different types, and arithmetic that would
/// overflow throws.

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpbound::models {

/// A whole number of ticks of one clock domain.
/// Errors: every operator throws `std::overflow_error` instead of wrapping around.
template <typename Domain> class Ticks {
public:
    constexpr Ticks() = default;
    explicit constexpr Ticks(std::int64_t count) : count_{count} {}

    [[nodiscard]] constexpr std::int64_t count() const { return count_; }

    friend constexpr Ticks operator+(Ticks a, Ticks b) {
        std::int64_t sum = 0;
        if (__builtin_add_overflow(a.count_, b.count_, &sum)) throw std::overflow_error{"tick sum"};
        return Ticks{sum};
    }
    friend constexpr Ticks operator-(Ticks a, Ticks b) {
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(a.count_, b.count_, &difference))
            throw std::overflow_error{"tick difference"};
        return Ticks{difference};
    }
    friend constexpr Ticks operator*(Ticks a, std::int64_t factor) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(a.count_, factor, &product))
            throw std::overflow_error{"tick product"};
        return Ticks{product};
    }
    friend constexpr Ticks operator*(std::int64_t factor, Ticks a) { return a * factor; }
    constexpr Ticks& operator+=(Ticks other) { return *this = *this + other; }
    constexpr Ticks& operator-=(Ticks other) { return *this = *this - other; }
    friend constexpr auto operator<=>(Ticks, Ticks) = default;

private:
    std::int64_t count_ = 0;
};

struct CoreClock;   ///< The clock that the SM's clock register counts (doubled on Fermi: shader
                    ///< cycles).
struct MemoryClock; ///< The DRAM command clock.
using Cycles = Ticks<CoreClock>;
using MemoryCycles = Ticks<MemoryClock>;

/// Products and sums of counts. Errors: `std::overflow_error` instead of wrapping around.
constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
    return (Cycles{a} * b).count();
}
constexpr std::int64_t plus(std::int64_t a, std::int64_t b) {
    return (Cycles{a} + Cycles{b}).count();
}

inline namespace literals {
consteval Cycles operator""_cycles(unsigned long long count) {
    return Cycles{static_cast<std::int64_t>(count)};
}
consteval MemoryCycles operator""_memory_cycles(unsigned long long count) {
    return MemoryCycles{static_cast<std::int64_t>(count)};
}
} // namespace literals

/// Largest whole count not above `value`. Errors: `std::overflow_error` when it does not fit or is
/// not finite.
Cycles round_down(double value);
/// Smallest whole count not below `value`. Errors: as `round_down`.
Cycles round_up(double value);

} // namespace warpbound::models

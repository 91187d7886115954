#pragma once
/// \file
/// Whole numbers of 128 bits in which nothing is rounded and nothing wraps around.

#include "certification/verify/verdict.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace warpbound::certification::verify {

__extension__ using Exact = __int128;

/// Throw `Finding` (failed) beyond 2^127.
inline Exact sum(Exact a, Exact b) {
    Exact result = 0;
    if (__builtin_add_overflow(a, b, &result)) throw Finding{Verdict::Failed, "a sum beyond 2^127"};
    return result;
}
inline Exact product(Exact a, Exact b) {
    Exact result = 0;
    if (__builtin_mul_overflow(a, b, &result))
        throw Finding{Verdict::Failed, "a product beyond 2^127"};
    return result;
}
/// a / b, rounded up. Requires: a >= 0, b > 0.
inline Exact quotient_up(Exact a, Exact b) {
    return a / b + (a % b == 0 ? 0 : 1);
}
/// For messages.
inline std::string digits(Exact number) {
    constexpr Exact largest = std::numeric_limits<std::int64_t>::max();
    return number > largest ? std::string{"more than 2^63"}
                            : std::to_string(static_cast<std::int64_t>(number));
}

} // namespace warpbound::certification::verify

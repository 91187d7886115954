#pragma once
/// \file
/// Times of the wall clock, as whole nanoseconds.

#include "assembly/support/result.hpp"
#include "models/units.hpp"

#include <string>
#include <string_view>

namespace warpbound::models {

struct WallClock; ///< The clock of the environment, in which deadlines are stated.
using Nanoseconds = Ticks<WallClock>;

/// Reads a number with its unit, `s`, `ms`, `us`, `µs` or `ns`: "10ms", "1.5 s". Refuses another
/// unit, a sign, a part of a nanosecond and 2^63 ns (292 years) or more.
Result<Nanoseconds> parse_duration(std::string_view text);

/// Exact, in the largest unit of which it is at least one: "250 µs", "1.5 s", "0 ns".
/// `parse_duration` reads it.
std::string to_string(Nanoseconds time);

/// To at most four significant digits. `Side:` the result is not below the time.
/// Errors: `std::overflow_error`. Requires: not negative.
Nanoseconds rounded_up(Nanoseconds time);
/// To at most four significant digits. `Side:` the result is not above the time.
/// Requires: not negative.
Nanoseconds rounded_down(Nanoseconds time);

} // namespace warpbound::models

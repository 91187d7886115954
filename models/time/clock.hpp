#pragma once
/// \file
/// Range of the core clock, and times from cycles.

#include "assembly/support/result.hpp"
#include "models/architecture/architecture.hpp"
#include "models/bounds.hpp"
#include "models/time/duration.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::models {

/// The frequency of the core clock lies in lo .. hi at every instant of a launch. `Unit:` Hz.
/// Requires: 1 <= lo <= hi.
struct ClockRange {
    std::int64_t lo = 1;
    std::int64_t hi = 1;

    [[nodiscard]] bool is_exact() const { return lo == hi; }
    friend bool operator==(const ClockRange&, const ClockRange&) = default;
};

/// Reads "1590MHz", "1.59GHz", "1350..1590MHz" (one unit for both ends) or "1350MHz..1.59GHz".
/// Refuses a missing unit, parts of a hertz, lo above hi, and frequencies outside 1 MHz to 10 GHz,
/// which no GPU has.
Result<ClockRange> parse_clock(std::string_view text);
/// Exact: "1590 MHz", "1350..1590 MHz". `parse_clock` reads it.
std::string to_string(const ClockRange& clock);

/// The time that the cycles take at the lowest clock, rounded up. `Side:` upper.
/// Errors: `std::overflow_error` from 2^63 ns.
Nanoseconds longest_time(Cycles cycles, const ClockRange& clock);
/// The time that the cycles take at the highest clock, rounded down. `Side:` lower.
/// Errors: as `longest_time`.
Nanoseconds shortest_time(Cycles cycles, const ClockRange& clock);
/// Both ends rounded outward. Errors: as `longest_time`.
Bounds<Nanoseconds> time_of(const Bounds<Cycles>& cycles, const ClockRange& clock);

/// A clock range with the statement that times in seconds rest on.
struct Clock {
    ClockRange range;
    std::string assumption; ///< One sentence that a reviewer can deny.
    std::string source;     ///< "stated", or the description's value with its grade.
    bool is_stated = false; ///< By the user.

    friend bool operator==(const Clock&, const Clock&) = default;
};
Clock stated_clock(const ClockRange& range);
/// Value `geometry/core-clock` of the description; none where it is unknown.
std::optional<Clock> described_clock(const Architecture& architecture);
/// The stated clock (empty: none is stated), else that of the description, if it has one.
Result<std::optional<Clock>> clock_in_use(std::string_view stated,
                                          const Architecture& architecture);

} // namespace warpbound::models

#pragma once
/// \file
/// A deadline in cycles or in seconds, and whether bounds meet it.

#include "models/bounds.hpp"
#include "models/time/clock.hpp"
#include "models/time/duration.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace warpbound::models {

struct Deadline {
    std::variant<Cycles, Nanoseconds> limit;

    [[nodiscard]] bool is_time() const { return std::holds_alternative<Nanoseconds>(limit); }
    friend bool operator==(const Deadline&, const Deadline&) = default;
};

/// Reads "8000cycles" or a time above 0 as `parse_duration` does: "10ms".
Result<Deadline> parse_deadline(std::string_view text);
/// Exact: "8000 cycles", "10 ms". `parse_deadline` reads it.
std::string to_string(const Deadline& deadline);

/// Whether so many cycles end by the deadline at every clock of the range. `Side:` exact.
/// `clock`: not read for a deadline in cycles. Requires: a clock for a deadline in seconds.
bool ends_within(Cycles cycles, const Deadline& deadline, const std::optional<ClockRange>& clock);
/// Whether so many cycles end after the deadline at every clock of the range. Otherwise as
/// `ends_within`.
bool ends_after(Cycles cycles, const Deadline& deadline, const std::optional<ClockRange>& clock);

enum class DeadlineVerdict {
    Met,       ///< The upper bound ends by the deadline.
    Violated,  ///< The lower bound ends after it.
    Undecided, ///< The deadline lies between the bounds.
};
std::string_view to_string(DeadlineVerdict verdict);
DeadlineVerdict verdict_on(const Deadline& deadline, const Bounds<Cycles>& bounds,
                           const std::optional<ClockRange>& clock);

/// What is left between an upper bound and the deadline; negative when the bound lies after it.
/// `Unit:` that of the deadline, cycles or ns. `Side:` rounded down. Requires: as `ends_within`.
std::int64_t margin_of(Cycles upper, const Deadline& deadline,
                       const std::optional<ClockRange>& clock);

/// The margin of an upper bound in words:
/// "9.98 ms", "-412 cycles". `Side:` rounded down. Requires: as `ends_within`.
std::string margin_text(Cycles upper, const Deadline& deadline,
                        const std::optional<ClockRange>& clock);

} // namespace warpbound::models

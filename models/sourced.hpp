#pragma once
/// \file
/// A value of a machine with its source.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::models {

/// Whole numbers lo .. hi; `typical` lies between them when the source gives one.
struct Interval {
    std::int64_t lo = 0;
    std::optional<std::int64_t> typical;
    std::int64_t hi = 0;

    [[nodiscard]] bool is_exact() const { return lo == hi; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

/// How well a value is founded, best first.
enum class Grade { Vendor, PeerReviewed, Repository, Measured, Inferred, Assumed, Unknown };
std::string_view to_string(Grade grade);
std::optional<Grade> parse_grade(std::string_view text);
/// Whether a grade ranks below a measurement and a vendor's or published value: every bound that
/// uses the value lists it as an assumption.
bool has_caveat(Grade grade);

/// The card on which a number was measured. A vendor's figure and a derivation are no measurement.
enum class MeasuredOn {
    Nothing,
    Family, ///< Another card of the same compute capability or chip.
    Card,   ///< The described card.
};
std::string_view to_string(MeasuredOn card);
std::optional<MeasuredOn> parse_measured_on(std::string_view text);

/// A named value of a description. Unknown values have no interval: they are never 0.
struct SourcedValue {
    std::string name; ///< "latency"
    std::string unit; ///< "cycles", "registers", "bytes", "warps", "blocks", "threads", "kHz", "1"
    std::optional<Interval> interval; ///< None exactly when the grade is Unknown.
    std::string source; ///< Short name resolved in `models/README.md`, with table or page.
    Grade grade = Grade::Unknown;
    std::string reason; ///< Required for grade Assumed: why this value.
    MeasuredOn measured = MeasuredOn::Nothing;

    friend bool operator==(const SourcedValue&, const SourcedValue&) = default;
};

} // namespace warpbound::models

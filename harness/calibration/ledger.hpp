#pragma once
/// \file
/// What the relations found: per value of a description its readings, or why there is none.

#include "harness/calibration/measurements.hpp"
#include "models/sourced.hpp"

#include <map>
#include <string>
#include <vector>

namespace warpbound::harness {

/// How much a reading says.
enum class Sharpness {
    Exact,  ///< One number that every sample agrees with.
    Range,  ///< The smallest and the largest of the samples: the truth is at least as wide.
    AtMost, ///< No time depends on a smaller one; `lo` is the least that a description may say.
};

/// What one benchmark says about one value.
struct Reading {
    models::Interval interval;
    Sharpness sharpness = Sharpness::Exact;
    std::string benchmark;
    std::vector<const RecordedSeries*> series;
    std::string assumption{}; ///< Without which it would not be one number.
};

/// What all readings together say.
struct Finding {
    std::string path; ///< "classes/float-add/latency"
    models::Interval interval;
    Sharpness sharpness = Sharpness::Exact;
    std::vector<std::string> benchmarks;
    std::string digest; ///< Of the series that it rests on, but those of what all rest on: `Basis`.
    std::string assumption{}; ///< As `Reading` has it.
};

/// The end of the path under which it is reported who shares the port of a class.
inline constexpr std::string_view port_of_class = "/port";

/// Of the port of a class; not a number.
struct ScopeFinding {
    std::string opcode_class;
    models::UnitScope scope = models::UnitScope::Partition;
    std::string benchmark;
};

struct Unidentified {
    std::string path;
    std::string why;
};

class Ledger {
public:
    void read(const std::string& path, Reading reading);
    void read_scope(ScopeFinding finding) { scopes_.push_back(std::move(finding)); }
    /// Does not undo a reading of the same value by another benchmark. Reasons add up.
    void unidentified(const std::string& path, const std::string& why);

    /// Whether there is a reading or a reason why not.
    [[nodiscard]] bool knows(const std::string& path) const;
    /// The number, when there is exactly one.
    [[nodiscard]] std::optional<std::int64_t> number(const std::string& path) const;
    /// What the readings of a value rest on.
    [[nodiscard]] std::vector<const RecordedSeries*> series(const std::string& path) const;
    /// The hull of what was read.
    [[nodiscard]] std::optional<models::Interval> interval(const std::string& path) const;

    /// In order of the paths. Refuses two readings of one value that exclude each other, with both.
    [[nodiscard]] Result<std::vector<Finding>> findings() const;
    [[nodiscard]] const std::vector<ScopeFinding>& scopes() const { return scopes_; }
    /// Values without any reading, in order of the paths.
    [[nodiscard]] std::vector<Unidentified> without_reading() const;

private:
    std::map<std::string, std::vector<Reading>> readings_;
    std::map<std::string, std::string> unidentified_;
    std::vector<ScopeFinding> scopes_;
};

} // namespace warpbound::harness

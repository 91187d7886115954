#pragma once
/// \file
/// The results of the calibration relations: for each value of a description its readings, or the
/// reason why there is none.

#include "harness/calibration/measurements.hpp"
#include "models/sourced.hpp"

#include <map>
#include <string>
#include <vector>

namespace warpbound::harness {

/// How precise a reading is.
enum class Sharpness {
    Exact,  ///< A single number; every sample agrees with it.
    Range,  ///< Smallest and largest sample: the true range is at least as wide.
    AtMost, ///< An upper limit, below which no time depends on the value; `lo` is the smallest
            ///< value that a description may have.
};

/// The reading of one value by one benchmark.
struct Reading {
    models::Interval interval;
    Sharpness sharpness = Sharpness::Exact;
    std::string benchmark;
    std::vector<const RecordedSeries*> series;
    std::string assumption{}; ///< The assumption without which the value would not be unique.
};

/// The combination of all readings of a value.
struct Finding {
    std::string path; ///< "classes/float-add/latency"
    models::Interval interval;
    Sharpness sharpness = Sharpness::Exact;
    std::vector<std::string> benchmarks;
    std::string digest;       ///< Digest of the series that the finding depends on, except those of
                              ///< `Basis`, on which all depend.
    std::string assumption{}; ///< As in `Reading`.
};

/// Suffix of the path under which the scope of a class's port is reported.
inline constexpr std::string_view port_of_class = "/port";

/// The scope of the port of a class.
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
    /// Records why a value was not identified. A reading of the value by another benchmark stays
    /// valid. Reasons accumulate.
    void unidentified(const std::string& path, const std::string& why);

    /// Drops the readings of a value, and the scope of a port, for a reason that shows that their
    /// premise does not hold. Without any, the reason that is known stays. An empty reason: the
    /// machine has no such value.
    void withdraw(const std::string& path, const std::string& why);

    /// Drops the readings of a value by one benchmark. Where none is left, `why` is the reason.
    void withdraw(const std::string& path, const std::string& benchmark, const std::string& why);

    /// Keeps of each exact reading of a value that it is an upper limit, and drops ranges of
    /// samples, which are none. Where no reading is left, `why` is the reason.
    void weaken(const std::string& path, const std::string& why);

    /// Whether there is a reading, or a reason why there is none.
    [[nodiscard]] bool knows(const std::string& path) const;
    /// The value, if a reading is a single number.
    [[nodiscard]] std::optional<std::int64_t> number(const std::string& path) const;
    /// The series that the readings of a value depend on.
    [[nodiscard]] std::vector<const RecordedSeries*> series(const std::string& path) const;
    /// The reading of a value by one benchmark; null: none.
    [[nodiscard]] const Reading* by_benchmark(const std::string& path,
                                              const std::string& benchmark) const;
    /// The hull of all readings.
    [[nodiscard]] std::optional<models::Interval> interval(const std::string& path) const;

    /// Sorted by path. Refuses two readings of one value that contradict each other, naming both.
    [[nodiscard]] Result<std::vector<Finding>> findings() const;
    [[nodiscard]] const std::vector<ScopeFinding>& scopes() const { return scopes_; }
    /// Values without any reading, sorted by path.
    [[nodiscard]] std::vector<Unidentified> without_reading() const;

private:
    std::map<std::string, std::vector<Reading>> readings_;
    std::map<std::string, std::string> unidentified_;
    std::vector<ScopeFinding> scopes_;
};

} // namespace warpbound::harness

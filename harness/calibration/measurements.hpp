#pragma once
/// \file
/// The recorded series of the calibration suite on one device, by benchmark point.

#include "harness/campaign/campaign.hpp"
#include "models/architecture/architecture.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

struct RecordedSeries {
    SeriesKey key;
    std::vector<Sample> samples; ///< In run order.
};

/// Digest over the keys and all samples of the series, in the given order: identifies the evidence
/// of a calibrated value.
std::string digest_of_series(const std::vector<const RecordedSeries*>& series);

/// Whether the series belongs to a benchmark of the calibration suite.
bool calibrates(const SeriesKey& key);

/// Minimum number of runs for a reading: in fewer runs, varying times may coincide.
inline constexpr std::int64_t enough_runs = 20;

/// Lanes of a warp of generated code: 64 on AMD's processors before gfx10.
std::int64_t lanes_of_warp(assembly::Target target);

/// Why few values can be calibrated on machines whose encoding determines when instructions issue.
inline constexpr const char* encoded_times_issue =
    "where the encoding times the issue, no time shows when a result is available";

/// Lanes of a warp of generated code: 64 on AMD's processors before gfx10.
std::int64_t lanes_of_warp(assembly::Target target);

/// Why few values can be calibrated on machines of a target without hardware interlocks.
std::string why_few_values(assembly::Target target);

/// The target of the measured machine: for a card from its device detail, else the target whose
/// kernels the series have. Refuses if there is none, naming the known targets.
Result<assembly::Target> target_of(const std::vector<RecordedSeries>& series);

/// The series of one device, each checked against the kernel of the suite.
class Measurements {
public:
    /// Keeps the series of calibrating benchmarks and ignores the others. Refuses series of several
    /// devices, machines or protocols, two series of one point, a series whose kernel, facts or
    /// launch differ from this version's suite for `target`, a card of another target, and an empty
    /// set. Refuses a run whose times do not fit its launch: one per warp; for clocks two per warp,
    /// the first not after the second, the earliest 0; all within 0 and `models::largest_cycles`; a
    /// possible number of blocks.
    static Result<Measurements> of(std::vector<RecordedSeries> series, assembly::Target target);

    /// Null if `why_not` returns a reason. On a machine with encoded issue control the point with
    /// stated control fields (`stated_prefix`) stands for one that was not measured.
    [[nodiscard]] const RecordedSeries* find(const std::string& point) const;
    /// "barrier was not measured", or that it has fewer runs than `enough_runs` (or than
    /// `most_runs` of the benchmark). Empty: the point can be used.
    [[nodiscard]] std::string why_not(const std::string& point) const;
    [[nodiscard]] const std::string& device() const { return device_; }
    [[nodiscard]] const assembly::Target& target() const { return target_; }
    /// Whether the target has hardware interlocks: instructions wait for their operands.
    [[nodiscard]] bool interlocks() const { return interlocks_; }
    /// Whether there are series whose code states its control fields.
    [[nodiscard]] bool states_control() const { return states_control_; }

private:
    struct Kept {
        RecordedSeries series;
        std::int64_t runs_needed = 0;
    };
    using ByPoint = std::map<std::string, Kept>;
    [[nodiscard]] ByPoint::const_iterator located(const std::string& point) const;

    ByPoint by_point_;
    std::string device_;
    assembly::Target target_;
    bool interlocks_ = false;
    bool states_control_ = false;
};

} // namespace warpbound::harness

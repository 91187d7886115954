#pragma once
/// \file
/// What a campaign recorded of the calibration suite on one device, by point.

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

/// Of the series, their key and every sample, in the order given: what a calibrated value rests on.
std::string digest_of_series(const std::vector<const RecordedSeries*>& series);

/// Whether the series is of a benchmark of the calibration suite.
bool calibrates(const SeriesKey& key);

/// Runs without which no value is read: in fewer, times that vary may agree by chance.
inline constexpr std::int64_t enough_runs = 20;

/// Why little is read off machines whose encoding says when instructions issue.
inline constexpr const char* encoded_times_issue =
    "where the encoding times the issue, no time shows when a result is there";

/// The target of the machine that the series are of: of a card what its detail says, else the one
/// of whose kernels they are. Refuses series of none, saying which there are.
Result<assembly::Target> target_of(const std::vector<RecordedSeries>& series);

/// The series of one device, each checked to be of the suite's own kernel.
class Measurements {
public:
    /// Keeps the series of calibrating benchmarks and leaves the others out. Refuses series of
    /// several devices, machines or protocols, two series of one point, a series whose kernel,
    /// facts or launch is not that of this version's suite for `target`, a card of another target,
    /// a run that has not the times of its launch (as many as it has warps; of clocks two each, one
    /// of them 0 and none before the warp's first; none below 0 or above `models::largest_cycles`)
    /// or a count of blocks that it can give, and no series at all.
    static Result<Measurements> of(std::vector<RecordedSeries> series, assembly::Target target);

    /// Null where `why_not` has a reason.
    [[nodiscard]] const RecordedSeries* find(const std::string& point) const;
    /// "barrier was not measured", or that it has fewer runs than `enough_runs` (or than the
    /// benchmark has any use for).
    [[nodiscard]] std::string why_not(const std::string& point) const;
    [[nodiscard]] const std::string& device() const { return device_; }
    [[nodiscard]] const assembly::Target& target() const { return target_; }
    /// Whether the target's hardware makes instructions wait for their operands.
    [[nodiscard]] bool interlocks() const { return interlocks_; }

private:
    struct Kept {
        RecordedSeries series;
        std::int64_t runs_needed = 0;
    };
    std::map<std::string, Kept> by_point_;
    std::string device_;
    assembly::Target target_;
    bool interlocks_ = false;
};

} // namespace warpbound::harness

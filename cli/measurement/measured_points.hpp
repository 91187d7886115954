#pragma once
/// \file
/// Results of measured benchmark points, as text, JSON and CSV.

#include "harness/protocol/bootstrap.hpp"
#include "harness/protocol/copy_line.hpp"
#include "harness/protocol/measure.hpp"
#include "harness/protocol/per_operation.hpp"
#include "harness/protocol/run_order.hpp"
#include "harness/suite/emission/benchmark.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

/// A benchmark point with the statistics of its samples.
struct MeasuredPoint {
    harness::BenchmarkPoint point;
    std::optional<harness::Summary> summary; ///< Of the runs that count; none without such a run.
    harness::RunOrder order;
    harness::Ending ending = harness::Ending::Interrupted;
    harness::Converged converged = harness::Converged::NotTested;
    std::optional<harness::WarmUp> warm_up;
    std::map<std::string, std::int64_t> anomalies; ///< Number of runs with each anomaly.
    harness::Bootstrap intervals;                  ///< Computed for JSON only.
    std::optional<harness::RegionTimes> empty;     ///< Empty region with the same number of warps.
};

/// Time per operation of a benchmark with an axis `n`, at fixed values of its other axes, found by
/// two methods.
struct MeasuredOperation {
    std::string name; ///< "global-store/warps=8"
    harness::PerOperation times;
};

/// A benchmark of copies and the line through its points.
struct MeasuredCopies {
    std::string name;
    Result<harness::CopyLine> line; ///< A failure gives the reason why there is no line.
};

/// A point that the device did not run, with the reason.
struct NotMeasured {
    std::string point;
    Failure why;

    [[nodiscard]] std::string text() const;
};

/// A line for each benchmark and reason: "barrier: ..", "cache-ways, 34 points: ..".
std::vector<std::string> missing_lines(const std::vector<NotMeasured>& missing);

struct MeasuredSuite {
    std::string device;
    harness::Protocol protocol;
    std::vector<MeasuredPoint> points;
    std::vector<MeasuredOperation> operations;
    std::vector<MeasuredCopies> copies;
    std::vector<NotMeasured> missing;

    /// Whether the two methods contradict each other for an operation.
    [[nodiscard]] bool disagrees() const;
    /// Names of the points that were run and of which no run counts.
    [[nodiscard]] std::vector<std::string> without_times() const;
};

/// Statistics of one point; none without a run.
std::optional<MeasuredPoint> summarise_point(const harness::BenchmarkPoint& point,
                                             const harness::Measured& measured, bool intervals);
/// Adds the results that need all points: empty regions, operations, copies, corrected p-values.
void compare_points(MeasuredSuite& suite);

std::string measured_text(const MeasuredSuite& suite);
std::string measured_json(const MeasuredSuite& suite);
/// One row per point; results of several points are left out.
std::string measured_csv(const MeasuredSuite& suite);

} // namespace warpbound::cli

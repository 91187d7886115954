#pragma once
/// \file
/// Analysis of a series in run order: drift, dependence between runs, modes limited to part of the
/// series.

#include "harness/campaign/campaign.hpp"
#include "harness/protocol/order_tests.hpp"
#include "harness/protocol/statistics.hpp"

#include <span>
#include <vector>

namespace warpbound::harness {

/// A cluster of run times, and whether its runs are clustered in run order.
struct ModeInTime {
    Mode mode; ///< Of `run_times`: indices count the runs with valid times only.
    OrderTest clustering;
};

enum class Drift {
    NotDecided, ///< No test was applicable: the sample is constant or has too few runs.
    None,       ///< No test was significant.
    Found,
};
/// "not decided", "none found" or "found".
std::string_view to_string(Drift drift);

/// Results of the order tests; the value of a run is its largest time.
struct RunOrder {
    std::vector<OrderTest> tests;
    /// Empty if there is only one; else the 16 largest, ordered by time.
    std::vector<ModeInTime> modes;
    std::optional<double> lag_one;

    /// By the corrected p-values, at `drift_level`.
    [[nodiscard]] Drift drift() const;
    /// Names of the significant tests: "runs", "halves", "mode 716..718".
    [[nodiscard]] std::vector<std::string> found() const;
};
inline constexpr double drift_level = 0.01;

/// The largest time of a run; empty for a run without valid times.
std::optional<std::int64_t> run_time(const Sample& sample);
/// The times of the runs with valid times, in run order.
std::vector<std::int64_t> run_times(const std::vector<Sample>& samples);

/// Analyses `run_times`. Outliers are kept.
RunOrder examine(std::span<const std::int64_t> run_times);

/// Corrects the p-values of all decided tests of one report for their number.
void correct(std::span<RunOrder*> report);

} // namespace warpbound::harness

#pragma once
/// \file
/// What a series says of itself in run order: drift, dependence, modes that come and go.

#include "harness/campaign/campaign.hpp"
#include "harness/protocol/order_tests.hpp"
#include "harness/protocol/statistics.hpp"

#include <span>
#include <vector>

namespace warpbound::harness {

/// A cluster of run times, and whether its runs stand together in time.
struct ModeInTime {
    Mode mode; ///< Of `run_times`: indices are those of runs that count.
    OrderTest together;
};

enum class Drift {
    NotDecided, ///< No test had a sample to decide on: constant, or too few runs.
    None,       ///< No test found anything.
    Found,
};
/// "not decided", "none found" or "found".
std::string_view to_string(Drift drift);

/// Tests of one value a run: its largest time.
struct RunOrder {
    std::vector<OrderTest> tests;
    /// Where there are several; the 16 largest, by their times.
    std::vector<ModeInTime> modes;
    std::optional<double> lag_one;

    /// By the corrected p-values, at `drift_level`.
    [[nodiscard]] Drift drift() const;
    /// Names of the tests that found something: "runs", "halves", "mode 716..718".
    [[nodiscard]] std::vector<std::string> found() const;
};
inline constexpr double drift_level = 0.01;

/// The largest time of a run; nothing for one that does not count.
std::optional<std::int64_t> run_time(const Sample& sample);
/// Of those that count, in run order.
std::vector<std::int64_t> run_times(const std::vector<Sample>& samples);

/// Of `run_times`. Outliers stay in.
RunOrder examine(std::span<const std::int64_t> run_times);

/// Corrects the p-values of all decided tests of one report for their number.
void correct(std::span<RunOrder*> report);

} // namespace warpbound::harness

#pragma once
/// \file
/// Report on a measurement campaign: benchmarks, devices and their states, times and anomalies.

#include "certification/campaign/held_runs.hpp"
#include "harness/campaign/campaign.hpp"
#include "harness/protocol/measure.hpp"
#include "harness/protocol/run_order.hpp"
#include "harness/protocol/statistics.hpp"
#include "harness/suite/emission/benchmark.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification {

/// Times of one warp over the runs. `Unit:` core cycles.
struct WarpTimes {
    std::int64_t best = 0;
    double mean = 0;
    std::int64_t worst = 0;
};

/// A bar of a histogram: times from `lo` to `hi`, both included. `Unit:` core cycles.
struct HistogramBar {
    std::int64_t lo = 0;
    std::int64_t hi = 0;
    std::int64_t count = 0;
};

/// One series.
struct CampaignPoint {
    harness::SeriesInfo series;
    harness::Axes axes;                      ///< Of a benchmark's point; empty for a kernel.
    std::optional<harness::Summary> summary; ///< Of the largest time of each run that counts.
    std::vector<HistogramBar> histogram;     ///< Of the same times.
    std::vector<WarpTimes> warps; ///< By block and warp; of quantity "clocks" the last clock read.
    std::optional<harness::RunOrder> order; ///< Corrected for all series of the report.
    /// Half width of the 95 % interval of the mean, relative to the mean; 0 for constant times.
    std::optional<double> mean_half_width;
    std::string mean_undecided;                            ///< Why there is no `mean_half_width`.
    std::map<harness::RunAnomaly, std::int64_t> anomalies; ///< Number of runs with each anomaly.
    std::string first_anomaly; ///< Number and remark of the first run with an anomaly.
    std::vector<harness::RecordedConditions> conditions;
};

/// All points of a benchmark, or of a kernel, on one device with one protocol. A point that was
/// recorded again with another kernel or other flow facts belongs to another group, so that each
/// line of a plot shows one code.
struct CampaignGroup {
    std::string name;
    const harness::Benchmark* benchmark =
        nullptr; ///< Null: a kernel, or a benchmark that this version does not have.
    std::string device;
    std::string device_detail;
    std::string protocol;
    std::string quantity;              ///< As in the key of the series.
    std::int64_t version = 1;          ///< Counts the recordings of the same points, from 1.
    std::vector<CampaignPoint> points; ///< In the order of the campaign.
};

struct CampaignReport {
    std::string file;
    std::string tool_version;
    std::vector<CampaignGroup> groups;
    std::vector<HeldRuns> held; ///< Worked out by the caller; empty: no bounds are compared.
};

/// Reads series by series and keeps no samples. Refuses what the campaign refuses and a campaign
/// without a run; fails when `progress` (called per series) returns false.
Result<CampaignReport> report_of(harness::Campaign& campaign, std::string file,
                                 std::string tool_version, const harness::Progress& progress = {});

/// One self-contained page: for each benchmark its question, plots and a table; series that did not
/// converge or that drift, run anomalies, and the state of the devices.
std::string render_html(const CampaignReport& report);

} // namespace warpbound::certification

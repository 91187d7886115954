#pragma once
/// \file
/// A campaign to look at: what was measured on which device in which state, benchmark by benchmark.

#include "harness/campaign/campaign.hpp"
#include "harness/protocol/measure.hpp"
#include "harness/protocol/run_order.hpp"
#include "harness/protocol/statistics.hpp"
#include "harness/suite/benchmark.hpp"

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
    std::vector<WarpTimes> warps;            ///< By block and warp; of "clocks" the last clock.
    std::optional<harness::RunOrder> order;  ///< Corrected for all series of the report.
    /// Of the 95 % interval of the mean, as a share of it; 0 of constant times.
    std::optional<double> mean_half_width;
    std::string mean_undecided;                            ///< Where there is none: why.
    std::map<harness::RunAnomaly, std::int64_t> anomalies; ///< Runs by what happened to them.
    std::string first_trouble;                             ///< What the first of these runs says.
    std::vector<harness::RecordedConditions> conditions;
};

/// All points of a benchmark, or of a kernel, on one device with one protocol. Where a point was
/// recorded again with another kernel or other flow facts, that is another group: its times
/// belong to another line.
struct CampaignGroup {
    std::string name;
    const harness::Benchmark* benchmark = nullptr; ///< Null: a kernel, or no benchmark of today.
    std::string device;
    std::string device_detail;
    std::string protocol;
    std::string quantity;              ///< As in the key of the series.
    std::int64_t version = 1;          ///< Which of several of the same points this is.
    std::vector<CampaignPoint> points; ///< In the order of the campaign.
};

struct CampaignReport {
    std::string file;
    std::string tool_version;
    std::vector<CampaignGroup> groups;
};

/// Reads series by series and keeps no samples. Refuses what the campaign refuses, a campaign
/// without a run, and to go on when `progress` (of series) says so.
Result<CampaignReport> report_of(harness::Campaign& campaign, std::string file,
                                 std::string tool_version, const harness::Progress& progress = {});

/// One self-contained page: for each benchmark its question, plots and a table; what was not
/// converged, what drifted, what happened to runs; the state of the devices.
std::string render_html(const CampaignReport& report);

} // namespace warpbound::certification

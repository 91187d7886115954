#include "cli/simulation/simulated_plan.hpp"

#include "assembly/support/stop_token.hpp"
#include "cli/inputs/shard.hpp"
#include "cli/output/next_step.hpp"
#include "cli/simulation/planned_runs.hpp"
#include "cli/simulation/simulation_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace warpbound::cli {

namespace {

using simulation::Options;

/// What was seen at one point.
struct PointResult {
    std::string label;
    std::vector<simulation::Series> series;
};

std::string text_of(const Shard& shard, std::size_t points, const std::vector<PointResult>& done) {
    std::string text =
        fmt::format("shard {} of {}{}: {} of {} points\n\n", shard.index, shard.count,
                    shard.source.empty() ? "" : " (" + shard.source + ")", done.size(), points);
    text += fmt::format("{:>8} {:>12} {:>12} {:>12}  {}\n", "runs", "best", "median", "worst",
                        "point; times in core cycles");
    for (const PointResult& point : done)
        for (const auto& series : point.series)
            text += fmt::format("{:>8} {:>12} {:>12} {:>12}  {}{}\n", series.summary.count,
                                series.summary.best, series.summary.median, series.summary.worst,
                                point.label,
                                series.quantity == harness::Quantity::ExecutionTime
                                    ? ""
                                    : ", " + quantity_name(series.quantity));
    return text;
}

std::string json_of(const Shard& shard, std::size_t points, const std::vector<PointResult>& done) {
    Json rows = Json::array();
    for (const PointResult& point : done)
        for (const auto& series : point.series)
            rows.push_back({{"point", point.label},
                            {"quantity", quantity_name(series.quantity)},
                            {"unit", "core cycles"},
                            {"runs", series.summary.count},
                            {"best", series.summary.best},
                            {"median", series.summary.median},
                            {"worst", series.summary.worst}});
    return json_text("simulated-plan", {{"shard", {{"index", shard.index}, {"count", shard.count}}},
                                        {"points", points},
                                        {"series", std::move(rows)}});
}

} // namespace

Exit simulate_plan(const Options& options) {
    const auto plan = read_runs(options.plan);
    if (!plan) return refuse(plan.error());
    const auto shard = shard_of(options.shard, process_environment());
    if (!shard) return refuse(shard.error());
    const std::string campaign = with_shard(options.campaign, shard.value());
    const auto& points = plan.value().kernels;
    std::vector<PointResult> done;
    PointLoader loader;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!shard.value().has(i)) continue;
        Options of_point = options_of(plan.value(), points[i]);
        of_point.campaign = campaign;
        const auto loaded = loader.load(points[i], of_point);
        if (!loaded) return refuse(at_point(points[i], loaded.error()));
        const simulation::Subject subject{loaded.value().launch->kernel.get(),
                                          loaded.value().launch->launched(),
                                          {},
                                          nullptr,
                                          {},
                                          nullptr};
        auto simulated = simulation::simulate(of_point, loaded.value().machine, subject);
        if (!simulated) return refuse(at_point(points[i], simulated.error()));
        if (!simulated.value() || !simulated.value()->complete) return Exit::Undecided;
        done.push_back({run_name(points[i]), std::move(simulated.value()->series)});
    }
    const Exit written =
        write_result(options.format == "json" ? json_of(shard.value(), points.size(), done)
                                              : text_of(shard.value(), points.size(), done));
    // The campaigns of all shards, where one name stands for them.
    if (const auto all = name_of_all(options.campaign, shard.value());
        written == Exit::Holds && !all.empty())
        suggest(fmt::format("warpbound campaign merge {} --plan {} -o campaign.db", all,
                            shell_word(options.plan)));
    return written;
}

Result<std::vector<harness::ExpectedSeries>> series_of_plan(const std::string& file) {
    const auto plan = read_runs(file);
    if (!plan) return plan.as_failure();
    std::vector<harness::ExpectedSeries> all;
    PointLoader loader;
    for (const PlannedKernel& point : plan.value().kernels) {
        const Options options = options_of(plan.value(), point);
        const auto loaded = loader.load(point, options);
        if (!loaded) return at_point(point, loaded.error());
        for (const harness::Quantity quantity :
             simulation::quantities_of(*loaded.value().launch->kernel->function))
            all.push_back(
                {key_of(loaded.value(), options, quantity), options.runs, run_name(point)});
    }
    return all;
}

} // namespace warpbound::cli

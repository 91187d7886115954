#include "cli/simulated_plan.hpp"

#include "assembly/support/stop_token.hpp"
#include "cli/kernel_plan.hpp"
#include "cli/next_step.hpp"
#include "cli/shard.hpp"
#include "cli/simulation_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

namespace warpbound::cli {

namespace {

using simulation::Options;

/// How messages name a point.
std::string label_of(const PlannedKernel& point) {
    return fmt::format("{}, seed {}", point_name(point), point.seed);
}

Result<KernelPlan> read_runs(const std::string& file) {
    auto plan = read_plan(file);
    if (!plan) return plan;
    if (!plan.value().runs)
        return Failure{"states no number of runs; expected <plan runs=\"200\">", file};
    for (const PlannedKernel& point : plan.value().kernels)
        if (!point.campaign.empty() || !point.cubin.empty() || !point.trace.empty() ||
            !point.clock.empty())
            return Failure{"'campaign', 'cubin', 'trace' and 'clock' are of `certify --plan`",
                           file};
    return plan;
}

/// The options of `simulate` for one point.
Options options_of(const KernelPlan& plan, const PlannedKernel& point) {
    Options options;
    options.launch.kernel.file = point.listing;
    options.launch.kernel.kernel = point.name;
    options.launch.kernel.flow_facts = point.flow_facts;
    options.launch.kernel.source = point.source;
    options.launch.kernel.takes_facts = true;
    options.launch.machine = point.machine;
    options.launch.launch = point.launch;
    options.launch.arguments = point.arguments;
    options.policy = point.policy;
    options.multiprocessors = point.multiprocessors;
    options.runs = *plan.runs;
    options.seed = point.seed;
    options.draw = std::string{harness::to_string(plan.draw)};
    return options;
}

/// A point as loaded: its launch, which the loader keeps, and the device that runs it.
struct LoadedPoint {
    const LoadedLaunch* launch;
    simulation::Machine machine;
};

/// Whether two points have the same code, machine, launch and arguments.
bool is_same_launch(const PlannedKernel& a, const PlannedKernel& b) {
    const auto parts = [](const PlannedKernel& of) {
        return std::tie(of.listing, of.name, of.flow_facts, of.source, of.target, of.arguments,
                        of.machine.architecture, of.machine.assumed, of.launch.launch,
                        of.launch.grid, of.launch.block, of.launch.dynamic_shared_memory);
    };
    return parts(a) == parts(b);
}

/// Loads points one after the other; those that differ in policy or seed only share the launch,
/// whose loop bounds take most of the time.
class PointLoader {
public:
    /// Valid until the next call.
    Result<LoadedPoint> load(const PlannedKernel& point, const Options& options) {
        if (!launch_ || !is_same_launch(point, loaded_)) {
            launch_.reset();
            auto launch = load_launch(options.launch);
            if (!launch) return launch.as_failure();
            launch_.emplace(std::move(launch).value());
            loaded_ = point;
        }
        auto machine = simulation::open_machine(options, launch_->architecture);
        if (!machine) return machine.as_failure();
        return LoadedPoint{&*launch_, std::move(machine).value()};
    }

private:
    PlannedKernel loaded_; ///< Whose launch it is.
    std::optional<LoadedLaunch> launch_;
};

/// A failure that names the point.
Failure at_point(const PlannedKernel& point, const Failure& failure) {
    return Failure{to_string(failure), label_of(point)};
}

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
        done.push_back({label_of(points[i]), std::move(simulated.value()->series)});
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
        const LoadedLaunch& launch = *loaded.value().launch;
        const auto protocol = protocol_of(options.runs, options.seed, options.draw);
        for (const harness::Quantity quantity : simulation::quantities_of(*launch.kernel->function))
            all.push_back(
                {series_key(launch.kernel->program, launch.launched(),
                            loaded.value().machine.device->identity(), protocol, quantity),
                 options.runs, label_of(point)});
    }
    return all;
}

} // namespace warpbound::cli

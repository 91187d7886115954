#include "cli/simulation/planned_runs.hpp"

#include "cli/simulation/simulation_run.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace warpbound::cli {

namespace {

/// Whether two points have the same code, machine, launch and arguments.
bool is_same_launch(const PlannedKernel& a, const PlannedKernel& b) {
    const auto parts = [](const PlannedKernel& of) {
        return std::tie(of.listing, of.name, of.flow_facts, of.source, of.target, of.arguments,
                        of.machine.architecture, of.machine.assumed, of.launch.launch,
                        of.launch.grid, of.launch.block, of.launch.dynamic_shared_memory);
    };
    return parts(a) == parts(b);
}

} // namespace

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

std::string run_name(const PlannedKernel& point) {
    return fmt::format("{}, seed {}", point_name(point), point.seed);
}

Failure at_point(const PlannedKernel& point, const Failure& failure) {
    return Failure{to_string(failure), run_name(point)};
}

simulation::Options options_of(const KernelPlan& plan, const PlannedKernel& point) {
    simulation::Options options;
    options.launch.kernel.file = point.listing;
    options.launch.kernel.kernel = point.name;
    options.launch.kernel.flow_facts = point.flow_facts;
    options.launch.kernel.source = point.source;
    options.launch.kernel.takes_facts = true;
    options.launch.kernel.takes_amd = true;
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

harness::SeriesKey key_of(const LoadedPoint& point, const simulation::Options& options,
                          harness::Quantity quantity) {
    return series_key(point.launch->kernel->program, point.launch->launched(),
                      point.machine.device->identity(),
                      protocol_of(options.runs, options.seed, options.draw), quantity);
}

Result<LoadedPoint> PointLoader::load(const PlannedKernel& point,
                                      const simulation::Options& options) {
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

} // namespace warpbound::cli

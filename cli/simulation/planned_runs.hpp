#pragma once
/// \file
/// Simulated runs of the points of a plan: what is run at each, and the launches, which points
/// share.

#include "cli/inputs/kernel_plan.hpp"
#include "cli/simulation/simulation_result.hpp"
#include "harness/campaign/series.hpp"

#include <optional>
#include <string>

namespace warpbound::cli {

/// A plan that states a number of runs and nothing that only `certify` takes.
Result<KernelPlan> read_runs(const std::string& file);

/// How messages name a point of simulated runs.
std::string run_name(const PlannedKernel& point);
/// A failure that names the point.
Failure at_point(const PlannedKernel& point, const Failure& failure);

/// The options of `simulate` for one point.
simulation::Options options_of(const KernelPlan& plan, const PlannedKernel& point);

/// A point as loaded: its launch, which the loader keeps, and the device that runs it.
struct LoadedPoint {
    const LoadedLaunch* launch;
    simulation::Machine machine;
};

/// Identifies the runs of a point.
harness::SeriesKey key_of(const LoadedPoint& point, const simulation::Options& options,
                          harness::Quantity quantity);

/// Loads points one after the other; those that differ in policy or seed only share the launch,
/// whose loop bounds take most of the time.
class PointLoader {
public:
    /// Valid until the next call.
    Result<LoadedPoint> load(const PlannedKernel& point, const simulation::Options& options);

private:
    PlannedKernel loaded_; ///< Whose launch it is.
    std::optional<LoadedLaunch> launch_;
};

} // namespace warpbound::cli

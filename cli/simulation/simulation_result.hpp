#pragma once
/// \file
/// What `warpbound simulate` ran, and how its result is written.

#include "cli/options/clock_options.hpp"
#include "cli/output/json.hpp"
#include "cli/program/command.hpp"
#include "cli/simulation/executed_run.hpp"
#include "cli/simulation/recorded_runs.hpp"
#include "cli/simulation/traced_run.hpp"
#include "cli/simulation/workload_run.hpp"
#include "harness/devices/simulated.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli::simulation {

struct Options {
    LaunchOptions launch;
    std::string listing;
    std::vector<std::string> stated; ///< Options given that a recorded trace determines itself.
    std::string workload;
    std::string launch_cost; ///< Empty: not requested.
    std::string policy = "unknown";
    std::string multiprocessors = "all";
    std::string clock; ///< Empty: that of the description.
    std::string campaign;
    std::string plan;  ///< Points in place of one kernel.
    std::string shard; ///< Of the plan, as "3/8"; empty: as the environment says.
    TraceOptions trace;
    ExecutionOptions execution;
    std::string draw = "uniform";
    std::string format = "text";
    std::int64_t runs = 200;
    std::uint64_t seed = 1;
};

/// The launch that is run, with the objects it refers to.
struct Subject {
    const LoadedKernel* kernel = nullptr;
    harness::Kernel launched;
    std::vector<std::string> assumptions;
    const RecordedRun* recorded = nullptr; ///< None: paths are drawn.
    std::string trace;                     ///< File of the trace.
    const ExecutedRun* executed = nullptr; ///< None: it is not executed on data.
};

/// The simulated device that runs it.
struct Machine {
    models::Architecture architecture;
    models::WarpPolicy policy;
    std::int64_t multiprocessors = 1;
    std::optional<models::Clock> clock; ///< None: times are in cycles only.
    std::unique_ptr<harness::Device> device;
    std::unique_ptr<harness::Campaign> campaign; ///< None: runs are not kept.
};

struct Series {
    harness::Quantity quantity;
    harness::Measured measured;
    harness::Summary summary;
};

using EndToEnd = std::optional<harness::Summary>;

struct Simulated {
    std::vector<Series> series;
    EndToEnd end_to_end;
    std::optional<TracedRun> traced;
    bool complete = true;
};

nlohmann::ordered_json json_of(const Options& options, const Machine& machine,
                               const Subject& subject, const Simulated& simulated);
std::string text_of(const Options& options, const Machine& machine, const Subject& subject,
                    const Simulated& simulated);

} // namespace warpbound::cli::simulation

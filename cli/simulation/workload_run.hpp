#pragma once
/// \file
/// `simulate` of a workload: streams of launches and copies.

#include "cli/program/command.hpp"
#include "harness/simulator/machine.hpp"
#include "models/launch/warp_policy.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace warpbound::cli {

/// Adds --launch-cost; what `read_launch_cost` refuses is a usage error. `purpose`: its use in this
/// command, appended to the help text, beginning with a punctuation mark.
CLI::Option* add_launch_cost(CLI::App& command, std::string& cost, const std::string& purpose);

/// Reads `N`, `LO..HI` or `described` (no stated cost).
Result<harness::simulator::StatedLaunchCost> read_launch_cost(const std::string& text);

struct WorkloadOptions {
    std::string file;
    std::string architecture;
    std::string policy;
    std::string launch_cost = "described";
    std::int64_t multiprocessors = 1;
    std::int64_t runs = 1;
    std::uint64_t seed = 1;
    std::string draw;
    std::string format;
    std::string trace; ///< File of the trace; empty: none.
    std::string trace_format;
    std::int64_t trace_run = 0;
};

/// Runs the workload and prints the times of its operations. `architecture` is the one that the
/// options name.
Exit simulate_workload(const WorkloadOptions& options, const models::Architecture& architecture);

/// Refuses what the machine refuses; where the launch cost is unknown, the refusal names the option
/// that states it.
Result<std::shared_ptr<const harness::simulator::WorkloadMachine>>
prepare_workload(const models::Architecture& architecture, const harness::Workload& workload,
                 const models::WarpPolicy& policy, std::int64_t multiprocessors,
                 const harness::simulator::StatedLaunchCost& cost);

/// Makespans of the runs: from the host's first call to the completion of all operations, launch
/// costs included. Fewer runs after Ctrl-C. `Unit:` core cycles.
Result<std::vector<std::int64_t>>
end_to_end_times(const harness::simulator::WorkloadMachine& machine,
                 const harness::Protocol& protocol);

} // namespace warpbound::cli

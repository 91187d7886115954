#pragma once
/// \file
/// `simulate` of a workload: streams of launches and copies.

#include "cli/command.hpp"
#include "harness/simulator/workload_code.hpp"
#include "models/warp_policy.hpp"

#include <optional>
#include <string>

namespace warpbound::cli {

/// What --launch-cost takes.
inline constexpr const char* launch_cost_help =
    "What a launch costs before its first blocks, in core cycles: N or LO..HI, assumed; or "
    "described: blocks/launch of the architecture";

/// `N`, `LO..HI` or `described` (nothing).
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

/// Runs it and prints what became of its operations. `architecture` is the one that the options
/// name.
Exit simulate_workload(const WorkloadOptions& options, const models::Architecture& architecture);

/// Times of a launch by itself from the host's call to its completion, launch cost included, in
/// runs of these seeds. None after Ctrl-C before the first run. `Unit:` core cycles.
Result<std::vector<std::int64_t>>
end_to_end_times(const harness::Kernel& kernel, const models::Architecture& architecture,
                 const models::WarpPolicy& policy, std::int64_t multiprocessors,
                 const harness::Protocol& protocol,
                 const harness::simulator::StatedLaunchCost& cost);

} // namespace warpbound::cli

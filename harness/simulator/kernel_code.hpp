#pragma once
/// \file
/// A kernel translated for the simulated SM: everything that is the same in all runs.

#include "harness/simulator/operation.hpp"
#include "harness/simulator/path_chooser.hpp"
#include "models/warp_policy.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Immutable after `translate`; runs share it.
struct KernelCode {
    std::vector<Operation> operations; ///< Per instruction of the function.
    std::vector<std::uint16_t>
        registers; ///< Of all operations; small numbers given to the registers used.
    std::size_t register_count = 0;
    std::size_t scoreboard_depth = 1; ///< Latest releases that a scoreboard must remember.
    std::size_t warp_ports = 0;
    std::size_t partition_ports = 0;
    std::size_t core_ports = 0;

    models::WarpPolicy policy;
    std::size_t schedulers = 1;
    Range issue_slot{1, 1};
    std::int64_t warps_per_block = 1;
    std::int64_t blocks = 1; ///< Of the launch.
    std::int64_t slots = 1;  ///< Blocks that are resident together.
    /// From the end of a block to the first cycle of the one that takes its slot.
    /// Present when there are more blocks than slots.
    std::optional<Range> replacement;
    std::optional<Range> start;
    /// Present when a store can reach the write buffer.
    std::optional<Range> buffer_entries;
    std::optional<Range> buffer_drain;

    Range barrier_latency; ///< Of the class, drawn once per release.

    const assembly::ControlFlowGraph* graph = nullptr;
    PathChooser paths;
};

/// Refuses what a run could need and the description lacks, and what this version does not
/// simulate.
Result<KernelCode> translate(const models::Architecture& architecture, const Kernel& kernel,
                             const models::WarpPolicy& policy = {});

} // namespace warpbound::harness::simulator

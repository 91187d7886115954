#pragma once
/// \file
/// A kernel translated for the simulated SM: everything that is the same in all runs.

#include "harness/simulator/decode/operation.hpp"
#include "harness/simulator/machine_shape.hpp"
#include "harness/simulator/memory/access_code.hpp"
#include "harness/simulator/paths/path_chooser.hpp"
#include "models/launch/warp_policy.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Immutable after `translate`; runs share it.
struct KernelCode {
    std::vector<Operation> operations; ///< Per instruction of the function.
    std::vector<std::uint16_t>
        registers; ///< Of all operations; small numbers given to the registers used.
    std::size_t register_count = 0;
    std::vector<AccessCode> accesses; ///< Instructions with an address pattern.
    std::uint64_t all_lanes = 0;      ///< Of a warp, one bit each.
    std::size_t scoreboard_depth = 1; ///< Latest releases that a scoreboard must remember.

    MachineShape machine;    ///< That runs it.
    std::int64_t blocks = 1; ///< Of the launch.
    Demand demand;           ///< Of one block.

    std::vector<std::uint16_t> bank_registers; ///< Of all operations: R0, R1, ..
    std::vector<std::uint64_t> constant_lines; ///< Of all operations.
    std::vector<std::uint64_t> lines; ///< Of the instruction cache, as `lines_of` gives them.

    Range barrier_latency; ///< Of the class, drawn once per release.

    const assembly::ControlFlowGraph* graph = nullptr;
    const RecordedLaunch* recorded = nullptr; ///< Gives the courses of all warps (C54).
    PathChooser paths;                        ///< Where none does.
    std::optional<Convergence> convergence;   ///< Present when lanes may part.
    std::int64_t warp_size = 32;
    std::int64_t threads = 32; ///< Per block.

    /// Not all lanes of a warp need take part in what it issues.
    [[nodiscard]] bool tells_lanes_apart() const { return convergence || recorded != nullptr; }
    /// Lanes of a warp of a block (C37).
    [[nodiscard]] LaneMask lanes(std::int64_t warp_in_block) const {
        return first_lanes(std::min(warp_size, threads - warp_in_block * warp_size));
    }
};

} // namespace warpbound::harness::simulator

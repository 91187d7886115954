#pragma once
/// \file
/// The paths that the warps of a kernel may follow.

#include "harness/recorded_launch.hpp"
#include "harness/simulator/divergence/lanes.hpp"
#include "harness/simulator/divergence/reconvergence_points.hpp"
#include "harness/simulator/paths/path_chooser.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::harness::simulator {

/// Equal in all runs: paths chosen under the flow facts, or recorded.
struct KernelPaths {
    const assembly::ControlFlowGraph* graph = nullptr;
    const RecordedLaunch* recorded = nullptr; ///< The instruction streams of all warps (C54).
    PathChooser paths;                        ///< Used for a launch that is not recorded.
    /// Of warps whose thread blocks lie in the box of a fact: some thread follows such a path.
    PathChooser of_representatives;
    std::optional<models::RepresentativeFact> representative;
    std::optional<models::GridShape> grid;            ///< As the launch states it.
    std::optional<ReconvergencePoints> reconvergence; ///< Present when lanes may diverge.
    std::int64_t warp_size = 32;
    std::int64_t threads = 32; ///< Per block.

    /// The active lanes of a warp may differ from instruction to instruction.
    [[nodiscard]] bool tracks_active_lanes() const { return reconvergence || recorded != nullptr; }
    /// Lanes of a warp of a block (C37).
    [[nodiscard]] LaneMask lanes(std::int64_t warp_in_block) const {
        return first_lanes(models::lanes_of_warp(threads, warp_size, warp_in_block));
    }
};

} // namespace warpbound::harness::simulator

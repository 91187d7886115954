#pragma once
/// \file
/// Messages between the host, the block dispatcher and the SMs.

#include "harness/simulator/decode/residency.hpp"

#include <cstddef>
#include <cstdint>

namespace warpbound::harness::simulator {

struct KernelCode;

/// A launch of the run.
struct Grid {
    const KernelCode* code = nullptr;
    int first_warp = 0;        ///< Warps are numbered through all launches of the run.
    std::size_t operation = 0; ///< Its number among the operations of the workload.
};

/// Host to dispatcher: a launch enters the execution queue (C33, C34).
struct LaunchQueued {
    std::size_t launch = 0;
    std::int64_t ready_at = 0;
};

/// Dispatcher to SM: a block becomes resident.
struct Placement {
    Grid grid;
    std::size_t launch = 0;
    std::int64_t block = 0;          ///< Number in the launch.
    Residency::WarpSlots warp_slots; ///< Of its warps, in their order.
    std::int64_t placed = 0;         ///< The cycle in which it got them.
    std::int64_t at = 0;             ///< The first cycle in which its warps may issue.
};

/// SM to dispatcher: a block ended in this cycle.
struct BlockEnded {
    std::size_t launch = 0;
    Residency::WarpSlots warp_slots;
    std::int64_t completes = 0; ///< The cycle in which everything that it issued is complete (C2).
};

} // namespace warpbound::harness::simulator

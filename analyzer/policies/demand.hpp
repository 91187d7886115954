#pragma once
/// \file
/// What the instructions of a launch demand under a policy that conserves work (docs/theory, S11).

#include "analyzer/interference/resource_demand.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Interference that each instruction causes. `Unit:` core cycles.
struct Demand {
    InstructionCosts own_scheduler;
    InstructionCosts other_schedulers;
    InstructionCosts drain;
    models::Warps rotation_warps{0}; ///< Warps in the rotation of a scheduler; 0: not used.
    /// One turn of each other warp, before each choice of the critical path.
    std::int64_t turns = 0;
    /// Only if warps may be outside an active set: stalls within it, and port occupancy beyond
    /// issue slots.
    InstructionCosts within_active_set{};
    InstructionCosts residual_occupancy{};
    /// Of a port whose occupancy contains demand that `own_scheduler` so leaves out (S98).
    std::int64_t longest_occupancy = 0;
};

} // namespace warpbound::analyzer

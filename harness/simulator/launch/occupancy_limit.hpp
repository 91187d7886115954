#pragma once
/// \file
/// The room that a launch finds on each SM (C20, C30).

#include "assembly/isa/program.hpp"
#include "harness/simulator/launch/residency.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/launch.hpp"

namespace warpbound::harness::simulator {

struct OccupancyLimit {
    Capacity capacity;      ///< Of each SM; what does not limit the launch is plenty.
    Demand demand;          ///< Of one block.
    std::int64_t slots = 1; ///< Blocks that an SM holds at a time, at most those of the launch.
};

/// Registers of a thread and shared memory of a block are those of the launch, else, where
/// `several_blocks` have to share, those that the listing says. Refuses absent values and a block
/// that fits no SM, naming the resource.
Result<OccupancyLimit> room_of(const models::Architecture& architecture,
                               const models::Launch& launch, const assembly::Function& function,
                               std::int64_t warp_size, bool several_blocks);

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// The occupancy limit of a launch on each SM (C20, C30).

#include "assembly/isa/program.hpp"
#include "harness/simulator/decode/residency.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/launch.hpp"

namespace warpbound::harness::simulator {

struct OccupancyLimit {
    Capacity capacity;      ///< Of each SM; resources that do not limit the launch are `plenty`.
    Demand demand;          ///< Of one block.
    std::int64_t slots = 1; ///< Block slots: co-resident blocks, at most those of the launch.
};

/// Takes registers per thread and shared memory per block from the launch. Where it states none and
/// `several_blocks` can be co-resident, takes them from the listing. Refuses absent values and a
/// block that fits no SM, naming the resource.
Result<OccupancyLimit> occupancy_limit_of(const models::Architecture& architecture,
                                          const models::Launch& launch,
                                          const assembly::Function& function,
                                          std::int64_t warp_size, bool several_blocks);

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// Validity check for launches of blocks that wait for each other: whether they show how many
/// blocks fit on an SM.

#include "harness/run_anomaly.hpp"
#include "models/observation.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::cuda {

/// Reports an SM on which a block began late in the waiting time of its first block: even later
/// blocks may then not have been counted. If all blocks were counted, no block timed out, and none
/// is late. Requires: every warp read the clock twice.
std::optional<Remark> late_blocks(const std::vector<models::WarpObservation>& warps);

} // namespace warpbound::harness::cuda

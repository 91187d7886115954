#pragma once
/// \file
/// Whether a launch of blocks that wait for each other shows how many fit on an SM.

#include "harness/run_anomaly.hpp"
#include "models/observation.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::cuda {

/// An SM on which a block began late in the time that its first one waited: whoever came later
/// still may not have been counted. Where all blocks met nobody gave up, and none is late.
/// Requires: every warp read the clock twice.
std::optional<Remark> late_blocks(const std::vector<models::WarpObservation>& warps);

} // namespace warpbound::harness::cuda

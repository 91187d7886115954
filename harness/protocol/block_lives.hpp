#pragma once
/// \file
/// Residency intervals of blocks on their SMs.

#include "models/observation.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::harness {

/// Interval from the first clock read of the block's first warp to the last clock read of its last
/// warp. `Unit:` core cycles, of the SM's own clock.
struct BlockLife {
    models::Cycles begin;
    models::Cycles end;
};

/// The blocks of one SM; at least one.
struct LivesOnSm {
    std::vector<BlockLife> blocks; ///< By block number.
    models::Cycles first_begin;    ///< The earliest begin.
    models::Cycles first_end;      ///< The earliest end: before it no block had left the SM.
};

/// Residency intervals by SM. Requires: every warp read the clock twice.
std::map<std::int64_t, LivesOnSm>
lives_of_blocks(const std::vector<models::WarpObservation>& warps);

} // namespace warpbound::harness

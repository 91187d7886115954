#pragma once
/// \file
/// From when to when blocks were on their SMs.

#include "models/observation.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::harness {

/// From the first clock read of its first warp to the last one of its last warp. `Unit:` core
/// cycles, of the SM's own clock.
struct BlockLife {
    models::Cycles begin;
    models::Cycles end;
};

/// The blocks of one SM, of which there is at least one.
struct LivesOnSm {
    std::vector<BlockLife> blocks; ///< By number.
    models::Cycles first_begin;    ///< The smallest of them.
    models::Cycles first_end;      ///< The smallest of them: before it no block had left.
};

/// By SM. Requires: every warp read the clock twice.
std::map<std::int64_t, LivesOnSm>
lives_of_blocks(const std::vector<models::WarpObservation>& warps);

} // namespace warpbound::harness

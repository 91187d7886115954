#pragma once
/// \file
/// Whether the states of one way to follow lanes have all runs of another way.

#include "certification/verify/divergence/warp_states.hpp"

namespace warpbound::tests {

/// Every sequence of blocks of `exact`, with its ends and with who waits, is one of `more`.
bool has_all_runs(const certification::verify::WarpStates& more,
                  const certification::verify::WarpStates& exact);

} // namespace warpbound::tests

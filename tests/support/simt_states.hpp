#pragma once
/// \file
/// Compares two explorations of the SIMT states of a warp: whether one has all runs of the other.

#include "certification/verify/divergence/warp_states.hpp"

namespace warpbound::tests {

/// Every sequence of blocks of `exact`, with its ends and its waiting groups, is one of `more`.
bool has_all_runs(const certification::verify::WarpStates& more,
                  const certification::verify::WarpStates& exact);

} // namespace warpbound::tests

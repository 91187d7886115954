#pragma once
/// \file
/// Bounds of one warp that no other delays.

#include "analyzer/problem.hpp"

namespace warpbound::analyzer {

/// The time of one warp from its start to its completion, with the path that takes it. Refuses
/// facts that no path satisfies.
Result<SideAnswer> bound_one_warp(const Problem& problem, const SidePair& rules, Side side,
                                  Deadline deadline);

} // namespace warpbound::analyzer

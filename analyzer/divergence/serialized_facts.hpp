#pragma once
/// \file
/// The path problems of a warp whose lanes may part: of the warp from above, of a lane from below.

#include "analyzer/bound.hpp"
#include "analyzer/divergence/serialized_cfg.hpp"

namespace warpbound::analyzer {

/// The request with the graph, for `in_turn`; it must live as long as the problem made from it.
Request in_turn(const Request& request, const LanesInTurn& lanes);
/// The problem on that graph. Bounds of loops and `never` hold for each lane, so for what lanes
/// that go together execute, least turns where all do; other facts speak of the path of one lane
/// and are left out. Side: upper.
AnalysisContext in_turn(const AnalysisContext& context, const Request& request,
                        const LanesInTurn& lanes);

/// The problem of a lane, of which the warp issues at least the path: gaps that a change of lanes
/// could shorten are short. Side: lower.
AnalysisContext single_lane_context(const AnalysisContext& context);

/// Names the blocks of the kernel's graph in place of their copies.
void map_to_original_blocks(SideResult& result, const LanesInTurn& lanes);

} // namespace warpbound::analyzer

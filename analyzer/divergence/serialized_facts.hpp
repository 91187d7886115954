#pragma once
/// \file
/// The path problems of a warp whose lanes may diverge: the upper side is about the warp on its
/// serialized CFG, the lower side about a single lane.

#include "analyzer/bound.hpp"
#include "analyzer/divergence/serialized_cfg.hpp"

namespace warpbound::analyzer {

/// The kernel with the serialized CFG as its graph; `cfg` must outlive it. Loop bounds and `never`
/// facts hold for each lane, hence for the lanes that are active together; least iterations are
/// kept where all lanes are converged. Other facts are about the path of one lane and are left out.
/// Side: upper.
TimedKernel serialized_kernel(const TimedKernel& kernel, const SerializedCfg& cfg);

/// The kernel of a single lane, whose path the warp issues at least: gaps that a change of the
/// active lanes could shorten take the shorter value. Side: lower.
TimedKernel single_lane_kernel(const TimedKernel& kernel);

/// Replaces the nodes of the serialized CFG in the result by the kernel's blocks.
void map_to_original_blocks(SideResult& result, const SerializedCfg& cfg);

} // namespace warpbound::analyzer

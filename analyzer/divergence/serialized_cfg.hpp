#pragma once
/// \file
/// The serialized control-flow graph (CFG) of a warp whose lanes may diverge: the paths of a
/// divergent branch follow each other.

#include "analyzer/divergence/serialized_blocks.hpp"

namespace warpbound::analyzer {

/// Side: upper (docs/soundness.md, S19d). Refuses what `find_reconvergence` refuses, and kernels
/// that need more than 20,000 nodes. Where the first attempt makes more than `sparing_above`
/// nodes, fewer are duplicated, which only makes the longest path longer.
Result<SerializedCfg> serialized_cfg(const AnalysisContext& context,
                                     std::size_t sparing_above = 20'000);

} // namespace warpbound::analyzer

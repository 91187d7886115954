#pragma once
/// \file
/// The serialized control-flow graph (CFG) of a warp whose lanes may diverge: the paths of a
/// divergent branch follow each other.

#include "analyzer/divergence/serialized_cfg.hpp"
#include "tests/support/branch_serialization/serialized_blocks.hpp"

namespace warpbound::analyzer {

/// Side: upper (docs/theory, S19d). Refuses what `find_reconvergence` refuses, and kernels
/// that need more than `most_serialized_nodes`. Where the first attempt makes more than
/// `sparing_above` nodes (none: that many), fewer are duplicated, which only makes the longest path
/// longer.
Result<SerializedCfg> branch_serialized_cfg(const AnalysisContext& context,
                                            std::optional<std::size_t> sparing_above = {});

} // namespace warpbound::analyzer

#pragma once
/// \file
/// The serialized control-flow graph (CFG) of a warp whose lanes may diverge: the paths of a
/// divergent branch follow each other.

#include "analyzer/divergence/serialized_blocks.hpp"

namespace warpbound::analyzer {

/// The largest serialized CFG of a kernel of so many blocks. In a chain of divergent branches each
/// branch adds a few nodes; in nested ones each level may double them.
constexpr std::size_t most_serialized_nodes(std::size_t blocks) {
    return 20'000 + 4 * blocks;
}

/// Side: upper (docs/theory, S19d). Refuses what `find_reconvergence` refuses, and kernels
/// that need more than `most_serialized_nodes`. Where the first attempt makes more than
/// `sparing_above` nodes (none: that many), fewer are duplicated, which only makes the longest path
/// longer.
Result<SerializedCfg> serialized_cfg(const AnalysisContext& context,
                                     std::optional<std::size_t> sparing_above = {});

} // namespace warpbound::analyzer

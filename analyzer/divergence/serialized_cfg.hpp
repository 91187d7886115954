#pragma once
/// \file
/// The control flow of a warp whose lanes may part: the ways of a branch follow each other.

#include "analyzer/divergence/serialized_blocks.hpp"

namespace warpbound::analyzer {

/// Sound for the upper side (docs/soundness.md, S19d). Refuses what `find_reconvergence` refuses
/// and kernels of which more than 20,000 copies would be needed. Where more than `sparing_above`
/// are made at first, ways are copied more sparingly, for longer paths at most.
Result<LanesInTurn> lanes_in_turn(const AnalysisContext& context,
                                  std::size_t sparing_above = 20'000);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// The control flow of a warp whose lanes may part: the ways of a branch follow each other.

#include "analyzer/launch/context.hpp"

namespace warpbound::analyzer {

/// A graph of which the warp's sequence of blocks is a path, whichever lanes go which way and
/// first.
struct LanesInTurn {
    assembly::ControlFlowGraph graph;
    std::vector<std::size_t> original; ///< Per block: that of the kernel's graph.
    /// Per block: how often lanes that left a loop in different turns may come there one after the
    /// other, of blocks that head such a sequence.
    std::vector<std::optional<std::int64_t>> repeated;
    /// Per block: all lanes that have not ended execute it together.
    std::vector<bool> together;
};

/// Sound for the upper side (docs/soundness.md, S19d). Refuses what `find_reconvergence` refuses and
/// kernels of which more than 20,000 copies would be needed. Where more than `sparing_above` are
/// made at first, ways are copied more sparingly, for longer paths at most.
Result<LanesInTurn> lanes_in_turn(const AnalysisContext& context, std::size_t sparing_above = 20'000);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// The reconvergence points that SSY, PBK, PCNT and BSSY push, and at which blocks and edges lanes
/// arrive at them or leave them (C40).

#include "analyzer/divergence/reconvergence_instructions.hpp"
#include "analyzer/launch/context.hpp"

#include <compare>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// A reconvergence point that the active lanes have joined.
struct ReconvergencePoint {
    assembly::ControlFlow kind =
        assembly::ControlFlow::None; ///< Of the instruction that pushed it.
    std::optional<int> reg;          ///< Barrier register of BSSY.
    std::size_t pushed_in = 0;       ///< Block of that instruction.
    friend auto operator<=>(const ReconvergencePoint&, const ReconvergencePoint&) = default;
};
using ReconvergenceStack = std::vector<ReconvergencePoint>; ///< Innermost last.

/// The stack of each block. It is the same for all lanes, on whichever path they came.
struct ReconvergenceStacks {
    /// Per block, at its begin; none: no path that the facts allow leads there. (The flags of
    /// `AnalysisContext::used` are per instruction, which the call contexts of called code share.)
    std::vector<std::optional<ReconvergenceStack>> before;
    /// Per block, after its instructions, but before lanes arrive at a point by its last one.
    std::vector<std::optional<ReconvergenceStack>> at_end;
    std::map<std::size_t, ReconvergencePoint> arrival_of; ///< By edge over which lanes arrive.
    /// Points that lanes leave without arriving, by BREAK or a clearing BMOV: by block where all
    /// active lanes leave, by edge where the lanes of one successor do.
    std::map<std::size_t, ReconvergenceStack> left_in_block;
    std::map<std::size_t, ReconvergenceStack> left_on_edge;
};

/// Refuses, with the address: guarded SSY, PBK, PCNT or BSSY; BSSY of a register in use; paths that
/// join or leave points differently; arrivals by BSYNC at a point that is not the innermost; a
/// guarded BREAK whose block does not end with a branch of the same or the opposite guard.
Result<ReconvergenceStacks> reconvergence_stacks(const AnalysisContext& context);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// The points at which lanes meet that SSY, PBK, PCNT and BSSY make, and who is in them (C40).

#include "analyzer/launch/context.hpp"

#include <map>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// A point that active lanes have joined.
struct ReconvergencePoint {
    assembly::ControlFlow kind = assembly::ControlFlow::None; ///< Of the instruction that made it.
    std::optional<int> reg;                                   ///< Of BSSY.
    std::size_t made_in = 0;                                  ///< Block.
    friend bool operator==(const ReconvergencePoint&, const ReconvergencePoint&) = default;
};
using ReconvergenceStack = std::vector<ReconvergencePoint>; ///< Innermost last.

/// The same for all lanes, whichever way they came.
struct ReconvergenceStacks {
    /// Per block; none: no path that the facts allow leads there. `AnalysisContext::used` is about
    /// instructions, which the copies of called code share.
    std::vector<std::optional<ReconvergenceStack>> before;
    std::vector<std::optional<ReconvergenceStack>> behind; ///< Before its last instruction.
    std::map<std::size_t, ReconvergencePoint> arrival_of;  ///< By edge over which lanes arrive.
    /// Points that lanes leave without arriving, by BREAK or a clearing BMOV: in a block, or by
    /// its taken branch. By block, by edge.
    std::map<std::size_t, ReconvergenceStack> left_in;
    std::map<std::size_t, ReconvergenceStack> left_over;
};

/// Refuses, naming the place: guarded joins, registers in use that BSSY names again, ways that join
/// or leave points differently, arrivals by BSYNC at a point that is not the innermost, a guarded
/// BREAK without a branch of the same guard, or the opposite one, behind it.
Result<ReconvergenceStacks> reconvergence_stacks(const AnalysisContext& context);

} // namespace warpbound::analyzer

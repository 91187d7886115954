#pragma once
/// \file
/// The blocks that lanes may pass between a divergent branch and its reconvergence (rules C38 to
/// C40).

#include "tests/support/branch_serialization/reconvergence_stack.hpp"

#include <optional>
#include <set>

namespace warpbound::analyzer {

/// Where lanes that diverge at the end of a block reconverge.
struct ReconvergenceTarget {
    std::optional<std::size_t> block;
    /// Point at which the lanes arrive; none: they reconverge at the immediate post-dominator.
    std::optional<ReconvergencePoint> point;
    /// Points inside `point`: lanes may leave them, or arrive at them, before the reconvergence.
    ReconvergenceStack inner_points{};
    bool ends_at_break = false; ///< A path ends where lanes leave points of the branch.
};

struct InfluenceRegion {
    std::set<std::size_t> blocks; ///< Blocks that a path may pass before the reconvergence.
    /// Blocks before which lanes may wait at points around that of the reconvergence.
    std::set<std::size_t> waiting_blocks;
    ReconvergenceStack left_points;    ///< Points of the branch that a path may leave by BREAK.
    bool one_sided = false;            ///< A successor of the branch is the target's block itself.
    bool always_arrives = true;        ///< Every path into the target's block arrives at its point.
    std::set<std::size_t> break_edges; ///< With `ends_at_break`: edges where paths end so.
    std::set<std::size_t> inner_arrivals;    ///< Edges over which lanes arrive at an inner point.
    std::set<std::size_t> after_inner_point; ///< The blocks to which these lead.
};

/// The region of the branch that ends `block`, over blocks that some path reaches.
InfluenceRegion influence_region_of(const assembly::ControlFlowGraph& graph,
                                    const ReconvergenceStacks& stacks, std::size_t block,
                                    const ReconvergenceTarget& target);

} // namespace warpbound::analyzer

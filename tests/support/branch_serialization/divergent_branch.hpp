#pragma once
/// \file
/// A divergent branch: where its lanes reconverge, and which blocks they may execute until then
/// (rules C38 to C40; docs/theory, S19d).

#include "analyzer/launch/context.hpp"

#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// A branch at which the active lanes of a warp may follow different paths.
struct DivergentBranch {
    std::size_t block = 0;                    ///< The block that ends with the branch.
    std::optional<std::size_t> reconvergence; ///< Block where all lanes go on; none: nowhere.
    bool has_point = false;       ///< They reconverge at a point of SSY, PBK, PCNT or BSSY.
    std::set<std::size_t> region; ///< Influence region: blocks that a path may pass before that.
    bool is_multiway = false;     ///< More than two successors.
    /// Of two successors one is the block of the reconvergence itself.
    bool one_sided = false;
    /// Divergent loop exit: one path leaves loops around the branch, the other remains in them, so
    /// lanes may exit in each iteration.
    struct LoopExit {
        std::size_t start = 0;        ///< First block of the lanes that exit.
        std::set<std::size_t> region; ///< Blocks that these may pass before the reconvergence.
        std::int64_t max_groups = 0;  ///< Groups of lanes that exit before the reconvergence.
        /// Blocks of other branches over which lanes exit in the same iterations, towards the same
        /// reconvergence.
        std::set<std::size_t> siblings{};
    };
    std::optional<LoopExit> loop_exit;
    /// The innermost reconvergence point of the branch, where lanes of one path may leave it by
    /// BREAK before the reconvergence: other lanes may wait there until all of these have.
    struct InnerPoint {
        std::set<std::size_t> arrivals;   ///< Edges.
        std::optional<std::size_t> after; ///< The block to which they lead.
    };
    std::optional<InnerPoint> inner_point;
    /// Edges over which lanes leave the branch's point by BREAK, towards a point around it, while
    /// others reconverge at it. Each is an edge of a branch with `loop_exit`.
    std::set<std::size_t> break_edges;
    /// Blocks that some lanes may execute while lanes that diverged from them here are elsewhere.
    std::set<std::size_t> non_uniform;
};

/// The divergent branches of a kernel, and the edges over which lanes arrive at a point that SSY,
/// PBK, PCNT or BSSY pushed.
struct Reconvergence {
    std::set<std::size_t> arrivals;                  ///< Edges of the graph.
    std::vector<DivergentBranch> divergent_branches; ///< Larger regions first.
};

} // namespace warpbound::analyzer

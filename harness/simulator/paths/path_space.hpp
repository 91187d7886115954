#pragma once
/// \file
/// All paths of a function on which each loop makes an allowed number of iterations, and the
/// positions from which the EXIT is still reachable.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpbound::harness::simulator {

/// Loop bound: executions of the loop's header per entry from outside.
struct LoopBound {
    std::int64_t min = 1;
    std::int64_t max = 1;
};

/// What restricts the paths of a function beyond its loop bounds. Empty: nothing does.
struct PathRestrictions {
    std::vector<bool> excluded_edges; ///< Per edge.
    /// Per block: the warps of a thread block leave it alike (C9a).
    std::vector<bool> shared_choices;
    /// Per block: its EXIT does not end the path; empty: none.
    std::vector<bool> excluded_ends{};
};

/// A position is a block and, for each enclosing loop from the outermost in, the number of header
/// executions that remain before the loop may be left. Whether the EXIT is reachable from a
/// position depends on each count only through 0, 1, or more: if one further iteration is possible,
/// so are two.
class PathSpace {
public:
    /// `bounds` has one entry per loop. Blocks that are `excluded` are not entered.
    /// Refuses loops nested so deeply that there are too many positions.
    static Result<PathSpace> build(const assembly::ControlFlowGraph& graph,
                                   std::span<const LoopBound> bounds,
                                   const std::vector<bool>& excluded,
                                   const PathRestrictions& restrictions = {});

    /// The warps of a thread block leave the block alike.
    [[nodiscard]] bool is_shared_choice(std::size_t block) const {
        return !shared_choices_.empty() && shared_choices_[block];
    }
    /// The warps of a thread block iterate the innermost loop around the header equally often.
    [[nodiscard]] bool is_shared_loop(std::size_t header) const {
        return !shared_loops_.empty() && shared_loops_[header];
    }

    /// The EXIT of the block, if it has one, may end the path.
    [[nodiscard]] bool may_end(std::size_t block) const {
        return graph_->blocks[block].exits && (excluded_ends_.empty() || !excluded_ends_[block]);
    }
    /// Some path leads from the entry to an EXIT.
    [[nodiscard]] bool has_path() const { return has_path_; }
    /// Some path visits the block.
    [[nodiscard]] bool visits(std::size_t block) const { return visited_[block]; }
    /// Some path leads from here to an EXIT. `remaining` has one count per enclosing loop of the
    /// block, outermost first.
    [[nodiscard]] bool can_finish(std::size_t block, std::span<const std::int64_t> remaining) const;
    /// Some path continues along the edge. `remaining`: at its start; `trial` is scratch.
    [[nodiscard]] bool is_allowed(std::size_t edge, std::span<const std::int64_t> remaining,
                                  std::vector<std::int64_t>& trial) const;
    /// The range of remaining header executions after the loop was entered. `remaining`: of the
    /// loops that enclose it.
    [[nodiscard]] LoopBound entry_iterations(std::size_t header,
                                             std::vector<std::int64_t>& remaining) const;

    /// The loops that an edge stays in, iterates and enters.
    struct Step {
        std::size_t to = 0;
        std::size_t common =
            0; ///< Loops that enclose both ends; further ones around `from` are left.
        bool iterates = false; ///< A back edge of the innermost common loop.
        bool enters = false;   ///< Enters a loop from outside.
    };
    [[nodiscard]] const Step& step(std::size_t edge) const { return steps_[edge]; }
    /// Enclosing loops of a block.
    [[nodiscard]] std::size_t depth(std::size_t block) const {
        return enclosing_loops_[block].size();
    }
    [[nodiscard]] std::size_t greatest_depth() const { return greatest_depth_; }
    /// Bound of the innermost loop around a block. Requires: there is one.
    [[nodiscard]] const LoopBound& innermost_bound(std::size_t block) const {
        return bounds_[enclosing_loops_[block].back()];
    }
    /// Bound of a loop around a block, counted from the outermost.
    [[nodiscard]] const LoopBound& bound(std::size_t block, std::size_t loop) const {
        return bounds_[enclosing_loops_[block][loop]];
    }
    [[nodiscard]] const assembly::ControlFlowGraph& graph() const { return *graph_; }

private:
    using Digits = std::vector<int>; ///< Remaining executions per loop: 0, 1, or 2 for more.

    [[nodiscard]] std::size_t position(std::size_t block, std::span<const int> digits) const;
    [[nodiscard]] bool can_end(std::size_t block, const Digits& digits) const;
    /// Calls `visit(block, digits)` for each position to which an edge can lead, until it returns
    /// true.
    template <typename Visit>
    bool follow(std::size_t edge, const Digits& digits, bool any_iteration, Visit visit) const;
    void find_finishing();
    void find_visited();

    const assembly::ControlFlowGraph* graph_ = nullptr;
    std::vector<LoopBound> bounds_;
    std::vector<bool> excluded_;
    std::vector<bool> excluded_edges_; ///< Per edge; empty: none.
    std::vector<bool> excluded_ends_;  ///< Per block; empty: none.
    std::vector<bool> shared_choices_; ///< Per block; empty: none.
    std::vector<bool> shared_loops_;   ///< Per block that is a header; empty: none.
    std::vector<std::vector<std::size_t>> enclosing_loops_; ///< Per block, outermost first.
    std::vector<Step> steps_;                               ///< Per edge.
    std::vector<std::size_t> first_position_;               ///< Per block.
    std::vector<bool> can_finish_;                          ///< Per position.
    std::vector<bool> visited_;                             ///< Per block.
    std::size_t greatest_depth_ = 0;
    bool has_path_ = false;
};

} // namespace warpbound::harness::simulator

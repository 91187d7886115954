#pragma once
/// \file
/// All paths of a function on which each loop makes an allowed number of turns: which way is still
/// open, and from where.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpbound::harness::simulator {

/// How often a loop's header executes per entry from outside.
struct LoopBound {
    std::int64_t min = 1;
    std::int64_t max = 1;
};

/// A position is a block together with, for each loop around it from the outermost in, how many
/// further executions of the loop's header are still owed before the loop may be left. Whether the
/// end can be reached from a position depends on each count only through 0, 1, or more: if one
/// further turn is possible, so are two.
class PathSpace {
public:
    /// `bounds` has one entry per loop. Blocks that are `excluded` are not entered.
    /// Refuses loops nested so deeply that the positions are too many to list.
    static Result<PathSpace> build(const assembly::ControlFlowGraph& graph,
                                   std::span<const LoopBound> bounds,
                                   const std::vector<bool>& excluded);

    /// Some path leads from the entry to an EXIT.
    [[nodiscard]] bool has_path() const { return has_path_; }
    /// Some path visits the block.
    [[nodiscard]] bool visits(std::size_t block) const { return visited_[block]; }
    /// Some path goes on from here to an EXIT. `owed` has one count per loop around the block,
    /// outermost first.
    [[nodiscard]] bool is_open(std::size_t block, std::span<const std::int64_t> owed) const;
    /// Some path goes on along the edge. `owed`: at its start; `trial` is scratch.
    [[nodiscard]] bool is_allowed(std::size_t edge, std::span<const std::int64_t> owed,
                                  std::vector<std::int64_t>& trial) const;
    /// The further executions that are owed after an edge into its loop's header; `owed` has those
    /// of the loops around it.
    [[nodiscard]] LoopBound entries(std::size_t header, std::vector<std::int64_t>& owed) const;

    /// How an edge moves through the loops.
    struct Step {
        std::size_t to = 0;
        std::size_t common =
            0;               ///< Loops around both ends; those around `from` beyond them are left.
        bool turns = false;  ///< A back edge of the innermost common loop.
        bool enters = false; ///< Enters a loop from outside.
    };
    [[nodiscard]] const Step& step(std::size_t edge) const { return steps_[edge]; }
    /// Loops around a block.
    [[nodiscard]] std::size_t depth(std::size_t block) const { return chains_[block].size(); }
    [[nodiscard]] std::size_t greatest_depth() const { return greatest_depth_; }
    /// Bounds of the innermost loop around a block. Requires: there is one.
    [[nodiscard]] const LoopBound& innermost_bound(std::size_t block) const {
        return bounds_[chains_[block].back()];
    }
    /// Bounds of the loops around a block, counted from the outermost.
    [[nodiscard]] const LoopBound& bound(std::size_t block, std::size_t loop) const {
        return bounds_[chains_[block][loop]];
    }
    [[nodiscard]] const assembly::ControlFlowGraph& graph() const { return *graph_; }

private:
    using Digits = std::vector<int>;

    [[nodiscard]] std::size_t position(std::size_t block, std::span<const int> digits) const;
    [[nodiscard]] bool can_end(std::size_t block, const Digits& digits) const;
    /// Calls `visit(block, digits)` for each position that an edge can lead to until it returns
    /// true.
    template <typename Visit>
    bool follow(std::size_t edge, const Digits& digits, bool all_turns, Visit visit) const;
    void find_open();
    void find_visited();

    const assembly::ControlFlowGraph* graph_ = nullptr;
    std::vector<LoopBound> bounds_;
    std::vector<bool> excluded_;
    std::vector<std::vector<std::size_t>> chains_; ///< Per block: loops around it, outermost first.
    std::vector<Step> steps_;                      ///< Per edge.
    std::vector<std::size_t> first_position_;      ///< Per block.
    std::vector<bool> open_;                       ///< Per position.
    std::vector<bool> visited_;                    ///< Per block.
    std::size_t greatest_depth_ = 0;
    bool has_path_ = false;
};

} // namespace warpbound::harness::simulator

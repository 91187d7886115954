#pragma once
/// \file
/// One warp's way through the control-flow graph, chosen edge by edge while it runs.

#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/paths/path_space.hpp"

#include <optional>
#include <span>

namespace warpbound::harness::simulator {

/// Where control went at the end of a block.
struct Turn {
    bool ends = false;    ///< The EXIT at the end of the block was taken.
    std::size_t edge = 0; ///< Otherwise the edge that was followed.
};

/// A walk from the entry block to an EXIT. Needs memory for the loops around a block only, however
/// long it gets. Walks over the same space that start with equal chances are equal.
class PathWalk {
public:
    PathWalk() : random_{Draw::AllLow, RandomStream{0, StreamOf::WarpPath, 0}} {}
    /// A random walk. Requires: the space has a path and outlives the walk.
    PathWalk(const PathSpace& space, const RandomSource& random);
    /// A walk along the given blocks. Requires: they follow edges, the last one exits, and they
    /// outlive the walk.
    PathWalk(const assembly::ControlFlowGraph& graph, std::span<const std::size_t> blocks,
             const RandomSource& random);

    [[nodiscard]] std::size_t block() const { return block_; }
    /// Leaves the block. Requires: has not ended.
    Turn advance();
    /// The chance as the walk left it.
    [[nodiscard]] const RandomSource& random() const { return random_; }

private:
    Turn advance_along_blocks();
    void enter_loop(std::size_t header);
    void take(std::size_t edge);

    const PathSpace* space_ = nullptr;
    const assembly::ControlFlowGraph* graph_ = nullptr;
    std::span<const std::size_t> blocks_;
    std::size_t next_ = 0;
    std::size_t block_ = 0;
    std::vector<std::int64_t> owed_; ///< Per loop around the block, outermost first.
    std::vector<std::int64_t> trial_;
    RandomSource random_;
};

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// One warp's path through the control-flow graph, chosen edge by edge while it runs.

#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/paths/path_space.hpp"

#include <optional>
#include <span>

namespace warpbound::harness::simulator {

/// The control transfer at the end of a block.
struct Transition {
    bool ends = false;    ///< By the EXIT at the end of the block.
    std::size_t edge = 0; ///< Otherwise: the edge.
};

/// A walk from the entry block to an EXIT. Its memory grows with the loop nesting depth only, not
/// with the length. Walks over the same space that start with equal random sources are equal.
class PathWalk {
public:
    PathWalk() : PathWalk{RandomSource{Draw::AllLow, RandomStream{0, StreamOf::WarpPath, 0}}} {}
    /// A random walk. `common`: the source of the choices that the warps of a thread block share.
    /// Requires: the space has a path and outlives the walk.
    PathWalk(const PathSpace& space, const RandomSource& random, const RandomSource& common);
    /// A walk along the given blocks. Requires: they follow edges, the last one exits, and they
    /// outlive the walk.
    PathWalk(const assembly::ControlFlowGraph& graph, std::span<const std::size_t> blocks,
             const RandomSource& random);

    [[nodiscard]] std::size_t block() const { return block_; }
    /// Leaves the block. Requires: has not ended.
    Transition advance();
    /// The random source as the walk left it.
    [[nodiscard]] const RandomSource& random() const { return random_; }

private:
    explicit PathWalk(const RandomSource& random) : random_{random}, common_{random} {}
    Transition advance_along_blocks();
    void enter_loop(std::size_t header);
    void take(std::size_t edge);

    const PathSpace* space_ = nullptr;
    const assembly::ControlFlowGraph* graph_ = nullptr;
    std::span<const std::size_t> blocks_;
    std::size_t next_ = 0;
    std::size_t block_ = 0;
    std::vector<std::int64_t>
        remaining_; ///< Header executions that remain, per enclosing loop, outermost first.
    std::vector<std::int64_t> trial_;
    RandomSource random_;
    RandomSource common_;
};

} // namespace warpbound::harness::simulator

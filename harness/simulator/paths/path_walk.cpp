#include "harness/simulator/paths/path_walk.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

PathWalk::PathWalk(const PathSpace& space, const RandomSource& random, const RandomSource& common)
    : space_{&space}, graph_{&space.graph()}, random_{random}, common_{common} {
    remaining_.reserve(space.greatest_depth());
    trial_.reserve(space.greatest_depth());
    if (space.depth(0) > 0) enter_loop(0);
}

PathWalk::PathWalk(const assembly::ControlFlowGraph& graph, std::span<const std::size_t> blocks,
                   const RandomSource& random)
    : graph_{&graph}, blocks_{blocks}, next_{1}, block_{blocks.front()}, random_{random},
      common_{random} {}

/// Draws how often the header executes, among the counts after which the EXIT is reachable.
void PathWalk::enter_loop(std::size_t header) {
    const LoopBound further = space_->entry_iterations(header, remaining_);
    RandomSource& source = space_->is_shared_loop(header) ? common_ : random_;
    remaining_.push_back(source.draw(further.min, further.max));
}

void PathWalk::take(std::size_t edge) {
    const PathSpace::Step& step = space_->step(edge);
    remaining_.resize(step.common);
    if (step.iterates) --remaining_.back();
    if (step.enters) enter_loop(step.to);
    block_ = step.to;
}

Transition PathWalk::advance() {
    if (space_ == nullptr) return advance_along_blocks();
    const assembly::BasicBlock& block = graph_->blocks[block_];
    if (block.out.size() == 1 && !block.exits) {
        take(block.out.front());
        return Transition{.edge = block.out.front()};
    }
    const bool may_end = space_->may_end(block_) &&
                         std::all_of(remaining_.begin(), remaining_.end(),
                                     [](std::int64_t remaining) { return remaining == 0; });
    std::int64_t choices = may_end ? 1 : 0;
    for (const std::size_t edge : block.out)
        choices += space_->is_allowed(edge, remaining_, trial_) ? 1 : 0;
    RandomSource& source = space_->is_shared_choice(block_) ? common_ : random_;
    std::int64_t choice = source.draw(0, choices - 1);
    if (may_end && choice-- == 0) return Transition{.ends = true};
    for (const std::size_t edge : block.out) {
        if (!space_->is_allowed(edge, remaining_, trial_) || choice-- != 0) continue;
        take(edge);
        return Transition{.edge = edge};
    }
    return Transition{.ends = true}; // Not reached: a walk visits only positions that can finish.
}

Transition PathWalk::advance_along_blocks() {
    if (next_ == blocks_.size()) return Transition{.ends = true};
    const std::size_t to = blocks_[next_++];
    const auto& out = graph_->blocks[block_].out;
    const auto leads_there = [&](std::size_t edge) { return graph_->edges[edge].to == to; };
    // A branch to the next instruction has two edges to one block; the direction is then drawn.
    std::int64_t choice = random_.draw(0, std::count_if(out.begin(), out.end(), leads_there) - 1);
    const auto edge = std::find_if(out.begin(), out.end(), [&](std::size_t candidate) {
        return leads_there(candidate) && choice-- == 0;
    });
    block_ = to;
    return Transition{.edge = *edge};
}

} // namespace warpbound::harness::simulator

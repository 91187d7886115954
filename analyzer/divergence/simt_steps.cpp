#include "analyzer/divergence/simt_steps.hpp"

#include "analyzer/divergence/branch_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

SimtRules::SimtRules(const TimedKernel& kernel, const std::optional<std::size_t>& counted,
                     Trim trim)
    : kernel_{kernel}, function_{*kernel.function}, graph_{*kernel.graph}, trim_{std::move(trim)},
      post_dominators_{post_dominators_of(graph_)}, ends_{ending_blocks(kernel)},
      divergent_(graph_.blocks.size(), false), counted_(graph_.blocks.size(), false) {
    for (const BlockIndex block : all_blocks(graph_)) {
        divergent_[block] = diverges_after(kernel, block);
        counted_[block] =
            counted && set_nodes_at(kernel, block, post_dominators_[block]) >= *counted;
    }
}

bool SimtRules::is_post_dominated(BlockIndex block, BlockIndex by) const {
    auto at = post_dominators_[block];
    while (at && *at != by)
        at = post_dominators_[*at];
    return at.has_value();
}

void SimtRules::refuse(std::size_t instruction, const std::string& what) const {
    throw Refused{refuse_at(*kernel_.function, instruction, what)};
}

std::size_t SimtRules::last() const {
    return block_at(graph_, block_).last;
}

/// Edges that the facts allow: to blocks from which lanes come to an EXIT over no `never` block.
std::vector<std::size_t> SimtRules::ways() const {
    std::vector<std::size_t> edges;
    for (const std::size_t edge : block_at(graph_, block_).out)
        if (ends_[to_block(graph_.edges[edge])]) edges.push_back(edge);
    return edges;
}

Result<std::vector<WarpStep>> SimtRules::after(const WarpState& state) {
    steps_.clear();
    block_ = state.block;
    traversal_ = state.traversal;
    left_when_taken_.clear();
    left_behind_.clear();
    try {
        std::vector<AbstractStack> stacks{state.stack};
        for (std::size_t i = block_at(graph_, block_).first; i <= last(); ++i)
            execute(i, stacks);
        const std::vector<std::size_t> edges = ways();
        std::vector<std::size_t> distinct;
        for (const std::size_t edge : edges)
            if (std::none_of(distinct.begin(), distinct.end(),
                             [&](std::size_t known) { return go_on_together(known, edge); }))
                distinct.push_back(edge);
        for (const AbstractStack& stack : stacks) {
            if (block_at(graph_, block_).exits) {
                AbstractStack ended = stack;
                ended.left.clear();
                go_on(ended, std::nullopt);
            }
            if (divergent_[block_] && left_when_taken_ != left_behind_ &&
                distinct.size() < edges.size())
                refuse(last(), "lanes may go on together of which some left a reconvergence point, "
                               "which is not bounded");
            if (distinct.size() > 1 && divergent_[block_])
                diverge(distinct, stack);
            else
                for (const std::size_t edge : edges)
                    take(edge, stack);
        }
    } catch (const Refused& refused) {
        return refused.failure;
    }
    return std::move(steps_);
}

std::string SimtRules::place_of(const PendingGroup& others) const {
    if (!others.released)
        return fmt::format(" that diverged from them at 0x{:04x}",
                           function_.instructions[block_at(graph_, others.origin).last].address);
    if (others.released->implicit)
        return fmt::format(" that wait at 0x{:04x}",
                           block_at(graph_, others.released->block).address);
    return fmt::format(" that wait at the reconvergence point of 0x{:04x}",
                       function_.instructions[others.released->instruction].address);
}

void SimtRules::refuse_barrier(std::size_t i, const AbstractStack& stack) const {
    std::string place;
    for (const auto& entry : stack.entries) {
        if (entry.waiting) place = place_of(*entry.waiting);
        if (!entry.groups.empty()) place = place_of(entry.groups.front());
    }
    refuse(i, fmt::format("some lanes may come to this barrier while others{} are elsewhere, which "
                          "is not bounded",
                          place));
}

std::size_t SimtRules::most_pending_groups() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(kernel_.warp_size - 1, 0));
}

/// Any lanes take each edge; those that do not go on first need not be there.
void SimtRules::diverge(const std::vector<std::size_t>& edges, const AbstractStack& stack) {
    if (block_at(graph_, block_).exits)
        refuse(last(), "lanes may diverge here to more than two successors of which one ends, "
                       "which is not bounded");
    std::vector<AbstractStack> stacks{stack};
    // In a point of the code it matters whether one at a post-dominator is there in which no other
    // lanes are: the lanes join no other one.
    if (stack.is_in_explicit())
        for (std::size_t i = 0; i < stack.entries.size(); ++i) {
            const auto point = stack.entries[i].point;
            if (!point || !point->implicit || !stack.is_in(i) || stack.entries[i].certain) continue;
            for (std::size_t known = stacks.size(); known-- > 0;)
                for (std::size_t at = 0; at < stacks[known].entries.size(); ++at)
                    if (stacks[known].entries[at].point == point) {
                        AbstractStack without = stacks[known];
                        without.remove_with_lanes(at);
                        stacks.push_back(std::move(without));
                        break;
                    }
            if (stacks.size() > most_steps) refuse(last(), "too many points are around");
        }
    for (AbstractStack& before : stacks) {
        join_post_dominator(before);
        for (const std::size_t now : edges) {
            const AbstractStack then = without_active(now, edges, before);
            for (const std::size_t edge : ways())
                if (go_on_together(now, edge)) take(edge, then);
        }
    }
}

/// Lanes that take one of the edges and lanes that take the other are one group at their block.
bool SimtRules::go_on_together(std::size_t edge, std::size_t other) const {
    return graph_.edges[edge].to == graph_.edges[other].to && is_arrival(edge) == is_arrival(other);
}

/// The stack where the lanes that take one of the edges go on; the others wait or are pending.
AbstractStack SimtRules::without_active(std::size_t now, const std::vector<std::size_t>& edges,
                                        const AbstractStack& before) const {
    AbstractStack then = before;
    std::vector<PendingGroup> groups;
    std::size_t pending = 0;
    for (const std::size_t later : edges) {
        if (later == now && !counted_[block_]) continue;
        AbstractStack others = before;
        leave_over(later, others);
        const BlockIndex to = to_block(graph_.edges[later]);
        auto point = arrival_at(later, others);
        if (const auto inner = others.innermost();
            !point && inner && others.entries[*inner].point == StackPoint{true, to})
            point = inner;
        if (point && later != now) wait(*point, to, traversal_, others.left, false, then);
        if (point) continue;
        groups.push_back({block_, to, trim_(traversal_, to), others.left, std::nullopt});
        if (later != now) ++pending;
    }
    pending = std::min(pending, most_pending_groups());
    if (!counted_[block_])
        then.push(groups);
    else if (pending > 0)
        then.push(groups, pending);
    return then;
}

void SimtRules::take(std::size_t edge, AbstractStack stack) {
    const std::vector<StackPoint> left = stack.left;
    leave_over(edge, stack);
    const BlockIndex to = to_block(graph_.edges[edge]);
    const bool falls = graph_.edges[edge].kind == assembly::EdgeKind::FallThrough;
    std::vector<Opened> all{{stack, false}};
    if (stack.left != left) all = opened(stack, true);
    for (Opened& each : all) {
        if (const auto point = arrival_at(edge, each.stack))
            arrive(*point, to, traversal_, std::move(each.stack), falls);
        else
            reach(to, traversal_, std::move(each.stack), falls);
    }
}

/// The active lanes reach a block: they arrive at a point there, or go on.
void SimtRules::reach(BlockIndex block, TraversalIndex traversal, AbstractStack stack, bool falls) {
    for (std::size_t i = 0; i < stack.entries.size(); ++i) {
        if (!stack.is_in(i) || stack.entries[i].point != StackPoint{true, block}) continue;
        if (stack.innermost() != i)
            refuse(last(), "lanes that diverge here may pass their reconvergence point without "
                           "arriving at it, which is not bounded");
        return arrive(i, block, traversal, std::move(stack), falls);
    }
    if (steps_.size() >= most_steps)
        refuse(last(), "lanes may go on in too many ways after this, which is not bounded");
    steps_.push_back({{block, trim_(traversal, block), std::move(stack)}, falls});
}

void SimtRules::arrive(std::size_t entry, BlockIndex block, TraversalIndex traversal,
                       AbstractStack stack, bool falls) {
    const StackPoint point = *stack.entries[entry].point;
    wait(entry, block, traversal, stack.left, true, stack);
    stack.left.clear();
    go_on(stack, Arrival{point, falls});
}

/// No lanes are active.
void SimtRules::go_on(const AbstractStack& stack, const std::optional<Arrival>& arrival) {
    AbstractStack rest = stack;
    rest.drop_empty(false);
    for (Opened& each : opened(rest, false))
        go_on_from_top(std::move(each.stack), each.released, arrival);
}

/// `certain`: the group on top is there.
void SimtRules::go_on_from_top(AbstractStack stack, bool certain,
                               const std::optional<Arrival>& arrival) {
    bool is_first = true;
    while (!stack.entries.empty()) {
        const AbstractStack::Entry top = stack.entries.back();
        const bool is_newest = std::exchange(is_first, false) && arrival;
        if (top.point) {
            if (top.waiting) {
                AbstractStack rest = stack;
                rest.remove(rest.entries.size() - 1);
                const bool arrived = arrival && top.waiting->released == arrival->point;
                resume(*top.waiting, std::move(rest), arrived && arrival->falls);
                if (top.certain) return;
            }
            stack.remove(stack.entries.size() - 1);
            if (!stack.close_unmissed()) return;
            continue;
        }
        for (std::size_t i = 0; i < top.groups.size(); ++i) {
            const PendingGroup& group = top.groups[i];
            // Of groups of which any number are there, what follows one follows those alike.
            if (top.repeats && i > 0 && group.goes_on_as(top.groups[i - 1]) &&
                group.origin != block_ && top.groups[i - 1].origin != block_)
                continue;
            AbstractStack rest = stack;
            rest.take_from_top(group);
            Gaps gaps{false, true};
            if (is_newest) gaps = gaps_of_newest(group, certain, *arrival);
            if (gaps.of_fall) resume(group, rest, true);
            if (gaps.of_transfer || top.repeats) resume(group, std::move(rest), false);
        }
        stack.entries.pop_back();
        if (certain || !stack.close_unmissed()) return;
    }
}

/// Of a group on top after an arrival (C41). Lanes that diverged just now go on as they left the
/// branch, and lanes that the point released just now as those that arrived. To any others control
/// is transferred.
SimtRules::Gaps SimtRules::gaps_of_newest(const PendingGroup& group, bool is_released,
                                          const Arrival& arrival) const {
    if (group.released)
        return is_released && arrival.falls && group.released == arrival.point ? Gaps{true, false}
                                                                               : Gaps{false, true};
    if (!divergent_[block_] || group.origin != block_) return {false, true};
    Gaps gaps;
    for (const std::size_t edge : block_at(graph_, block_).out) {
        if (to_block(graph_.edges[edge]) != group.resume || is_arrival(edge)) continue;
        const bool falls = graph_.edges[edge].kind == assembly::EdgeKind::FallThrough;
        (falls ? gaps.of_fall : gaps.of_transfer) = true;
    }
    return gaps;
}

void SimtRules::resume(const PendingGroup& group, AbstractStack rest, bool falls) {
    rest.left = group.left;
    std::erase_if(rest.left, [&](const StackPoint& point) {
        return std::none_of(rest.entries.begin(), rest.entries.end(),
                            [&](const auto& entry) { return entry.point == point; });
    });
    rest.drop_empty(true);
    reach(group.resume, group.traversal, std::move(rest), falls);
}

} // namespace warpbound::analyzer

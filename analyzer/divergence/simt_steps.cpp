#include "analyzer/divergence/simt_steps.hpp"

#include "analyzer/divergence/branch_paths.hpp"
#include "analyzer/divergence/reconvergence_instructions.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

constexpr std::size_t most_steps = 5'000; ///< From one state.
constexpr std::size_t most_instances = 3; ///< Of a point.

} // namespace

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

/// Lanes that waited at the point are pending, above all others.
void SimtRules::release(std::size_t entry, AbstractStack& stack) {
    PendingGroup lanes = *stack.entries[entry].waiting;
    for (std::size_t i = entry + 1; i < stack.entries.size(); ++i) {
        if (stack.entries[i].point) lanes.left.push_back(*stack.entries[i].point);
        for (const PendingGroup& group : stack.entries[i].groups)
            if (!group.is_in(*stack.entries[entry].point))
                overtaking_[{group.origin, group.resume}].insert(lanes.resume);
    }
    std::sort(lanes.left.begin(), lanes.left.end());
    stack.remove_with_lanes(entry);
    stack.push({lanes});
}

/// The stack, and what it may be where points are open that lanes above did not join or left.
void SimtRules::add_opened(Opened from, bool active, std::size_t first, std::vector<Opened>& to) {
    AbstractStack& stack = from.stack;
    if (to.size() >= most_steps) refuse(last(), "more points may open after this than are bounded");
    for (std::size_t i = first; i < stack.entries.size(); ++i) {
        if (!stack.entries[i].point || !stack.entries[i].waiting) continue;
        if (active ? stack.is_in(i) : !stack.has_left(i)) continue;
        Opened open{stack, true};
        release(i, open.stack);
        add_opened(std::move(open), active, i, to);
        if (stack.may_miss(i)) continue;
        // No lanes are missing: if any wait, it is open.
        if (stack.entries[i].certain) return;
        stack.entries[i].waiting.reset();
    }
    stack.drop_empty(active);
    to.push_back(std::move(from));
}

std::vector<SimtRules::Opened> SimtRules::opened(const AbstractStack& stack, bool active) {
    std::vector<Opened> all;
    add_opened({stack, false}, active, 0, all);
    return all;
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

void SimtRules::execute(std::size_t i, std::vector<AbstractStack>& stacks) {
    const Instruction& at = function_.instructions[i];
    if (assembly::synchronizes_threads(at))
        for (const AbstractStack& stack : stacks)
            if (!stack.is_converged()) refuse_barrier(i, stack);
    if (leaves_point(at)) return leave(i, stacks);
    if (!pushes_point(at.control_flow)) return;
    for (AbstractStack& stack : stacks)
        join(i, stack);
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

void SimtRules::join(std::size_t i, AbstractStack& stack) const {
    const Instruction& at = function_.instructions[i];
    if (assembly::is_guarded(at))
        refuse(i, "a guarded push of a reconvergence point is not bounded where lanes may diverge");
    StackPoint point{false, block_, i};
    const auto reg = assembly::barrier_register(at);
    for (std::size_t entry = 0; entry < stack.entries.size(); ++entry) {
        const auto& known = stack.entries[entry].point;
        if (!known || known->implicit) continue;
        const Instruction& by = function_.instructions[known->instruction];
        const bool is_same = known->block == block_ && known->instruction == i;
        if (is_same) point.instance = std::max(point.instance, known->instance + 1);
        if (stack.is_in(entry) &&
            (is_same || (at.control_flow == ControlFlow::ConvergenceSet && reg &&
                         by.control_flow == ControlFlow::ConvergenceSet &&
                         assembly::barrier_register(by) == reg)))
            refuse(i, "the point is in use, which is not bounded where lanes may diverge");
    }
    if (point.instance > most_instances)
        refuse(i, "too many groups of lanes may be in this point one inside the other, which is "
                  "not bounded");
    AbstractStack::Entry entry;
    entry.point = point;
    stack.entries.push_back(std::move(entry));
}

void SimtRules::leave_register(const TimedKernel& kernel, int reg, AbstractStack& stack) {
    for (std::size_t i = stack.entries.size(); i-- > 0;) {
        if (!stack.is_in(i) || stack.entries[i].point->implicit) continue;
        const Instruction& by = kernel.function->instructions[stack.entries[i].point->instruction];
        if (by.control_flow == ControlFlow::ConvergenceSet && assembly::barrier_register(by) == reg)
            return stack.leave(i);
    }
}

void SimtRules::leave(std::size_t i, std::vector<AbstractStack>& stacks) {
    const Instruction& at = function_.instructions[i];
    if (at.guard && at.guard->never()) return;
    const auto reg = assembly::barrier_register(at);
    if (!reg || assembly::has_predicate_operand(at)) refuse(i, "expected a barrier register alone");
    if (!assembly::is_guarded(at)) {
        std::vector<AbstractStack> then;
        for (AbstractStack& stack : stacks) {
            leave_register(kernel_, *reg, stack);
            for (Opened& each : opened(stack, true))
                then.push_back(std::move(each.stack));
        }
        stacks = std::move(then);
        return;
    }
    const auto transferred = assembly::executes_if_taken(function_, i, last());
    if (!transferred)
        refuse(i, "a guarded exit from a reconvergence point is bounded before a branch with the "
                  "same guard or its opposite only, where lanes may diverge");
    (*transferred ? left_when_taken_ : left_behind_).push_back(*reg);
}

void SimtRules::leave_over(std::size_t edge, AbstractStack& stack) const {
    const bool taken = graph_.edges[edge].kind == assembly::EdgeKind::Taken;
    for (const int reg : taken ? left_when_taken_ : left_behind_)
        leave_register(kernel_, reg, stack);
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

/// Lanes that take the edge arrive at a point by the block's last instruction.
bool SimtRules::is_arrival(std::size_t edge) const {
    const ControlFlow by = function_.instructions[last()].control_flow;
    return arrives_at(by) && (by == ControlFlow::ConvergenceWait ||
                              graph_.edges[edge].kind == assembly::EdgeKind::Taken);
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

/// Lanes that are in no point of the code join one where all paths meet (C40).
void SimtRules::join_post_dominator(AbstractStack& stack) const {
    const auto meeting = post_dominators_[block_];
    if (!meeting || stack.is_in_explicit()) return;
    const StackPoint point{true, *meeting};
    if (const auto inner = stack.innermost(); inner && stack.entries[*inner].point == point) return;
    for (const auto& entry : stack.entries)
        if (entry.point == point)
            refuse(last(), "the lanes that diverge here reconverge where others around them do, "
                           "which is not bounded");
    AbstractStack::Entry entry;
    entry.point = point;
    stack.entries.push_back(std::move(entry));
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

void SimtRules::wait(std::size_t entry, BlockIndex block, TraversalIndex traversal,
                     const std::vector<StackPoint>& left, bool certain,
                     AbstractStack& stack) const {
    auto& at = stack.entries[entry];
    PendingGroup lanes{at.point->block, block, trim_(traversal, block), {}, at.point};
    for (std::size_t below = 0; below < entry; ++below)
        if (const auto& point = stack.entries[below].point;
            point && std::binary_search(left.begin(), left.end(), *point))
            lanes.left.push_back(*point);
    std::sort(lanes.left.begin(), lanes.left.end());
    if (at.waiting && at.waiting != lanes)
        refuse(last(), "lanes go on at several blocks after their reconvergence point, or in "
                       "different points around it, which is not bounded");
    at.waiting = std::move(lanes);
    at.certain = at.certain || certain;
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

/// The point at which lanes arrive over the edge by the block's last instruction.
std::optional<std::size_t> SimtRules::arrival_at(std::size_t edge,
                                                 const AbstractStack& stack) const {
    const Instruction& at = function_.instructions[last()];
    if (!is_arrival(edge)) return std::nullopt;
    const auto kind = arrives_at(at.control_flow);
    const bool waits = at.control_flow == ControlFlow::ConvergenceWait;
    for (std::size_t i = stack.entries.size(); i-- > 0;) {
        if (!stack.is_in(i) || stack.entries[i].point->implicit) continue;
        const Instruction& by = function_.instructions[stack.entries[i].point->instruction];
        if (by.control_flow == *kind &&
            (!waits || assembly::barrier_register(by) == assembly::barrier_register(at)))
            return i;
        if (waits || by.control_flow == ControlFlow::ConvergenceSet)
            refuse(last(), "lanes arrive at a reconvergence point that is not the innermost, "
                           "which is not bounded where lanes may diverge");
    }
    refuse(last(), "lanes arrive at a reconvergence point that they have not joined");
}

Result<void> SimtRules::check() const {
    const auto& instructions = function_.instructions;
    for (std::size_t i = 0; i < kernel_.used.size(); ++i)
        if (kernel_.used[i] && assembly::synchronizes_threads(instructions[i]) &&
            assembly::is_guarded(instructions[i]))
            return refuse_at(*kernel_.function, i,
                             "a guarded barrier is not bounded where lanes may diverge");
    for (const auto& fact : kernel_.stated->divergents) {
        const auto index = function_.index_of(fact.at);
        const auto refuse_fact = [&](const std::string& what) {
            return models::refused(
                *kernel_.stated, fact.from,
                fmt::format("{}: {}",
                            index ? assembly::place_of(function_, instructions[*index])
                                  : fmt::format("0x{:04x}", fact.at),
                            what));
        };
        if (!index)
            return refuse_fact(
                "the flow facts state that lanes diverge here, where no instruction stands");
        const bool decides =
            assembly::is_guarded(instructions[*index]) ||
            std::any_of(graph_.blocks.begin(), graph_.blocks.end(), [&](const auto& block) {
                return block.last == *index && block.out.size() >= 2;
            });
        if (!decides)
            return refuse_fact(
                "the flow facts state that lanes diverge here, where nothing is decided");
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::analyzer

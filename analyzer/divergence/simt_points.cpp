/// \file
/// How lanes join reconvergence points, leave them, wait at them and arrive.

#include "analyzer/divergence/reconvergence_instructions.hpp"
#include "analyzer/divergence/simt_steps.hpp"
#include "assembly/isa/branch_guard.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

constexpr std::size_t most_instances = 3; ///< Of a point.

} // namespace

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

/// Lanes that take the edge arrive at a point by the block's last instruction.
bool SimtRules::is_arrival(std::size_t edge) const {
    const ControlFlow by = function_.instructions[last()].control_flow;
    return arrives_at(by) && (by == ControlFlow::ConvergenceWait ||
                              graph_.edges[edge].kind == assembly::EdgeKind::Taken);
}

/// The point at which lanes arrive over the edge by the block's last instruction.
std::optional<std::size_t> SimtRules::arrival_at(std::size_t edge,
                                                 const AbstractStack& stack) const {
    const Instruction& at = function_.instructions[last()];
    if (!is_arrival(edge)) return std::nullopt;
    const auto kind = arrives_at(at.control_flow);
    const bool waits = at.control_flow == ControlFlow::ConvergenceWait;
    if (waits && assembly::is_guarded(at))
        refuse(last(), "a BSYNC under a guard, at which some lanes of a group may not wait, is not "
                       "bounded where lanes may diverge");
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

} // namespace warpbound::analyzer

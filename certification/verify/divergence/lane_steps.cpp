#include "certification/verify/divergence/lane_steps.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/flow/next_in_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace warpbound::certification::verify {

namespace {

using Transfer = assembly::ControlFlow;

constexpr std::size_t most_ways = 10; ///< Targets of one branch.
/// So many at most of which each set is a step of its own. Of more, all are optional groups.
constexpr std::size_t most_distinguished = 4;

bool makes_point(Transfer flow) {
    return flow == Transfer::PushReconvergence || flow == Transfer::PushBreak ||
           flow == Transfer::PushContinue || flow == Transfer::ConvergenceSet;
}

bool removes_from_point(const assembly::Instruction& instruction) {
    return instruction.control_flow == Transfer::ConvergenceBreak ||
           (instruction.mnemonic == "BMOV" && instruction.has_modifier("CLEAR"));
}

bool is_at(const SimtStack::Entry& point, std::size_t block) {
    return point.kind == SimtStack::Kind::PostDominator && point.origin == block;
}

} // namespace

LaneRules::LaneRules(const KernelCase& kernel, const ControlFlow& flow)
    : kernel_{kernel}, flow_{flow}, code_{kernel.function->instructions}, meetings_{flow},
      in_text_{next_in_text(kernel, flow)}, ends_(flow.blocks.size(), false),
      headed_(flow.blocks.size(), nullptr) {
    for (const CheckedLoop& loop : flow.loops)
        headed_[loop.header] = &loop;
    for (const models::DivergentFact& fact : kernel.facts.divergents)
        divergent_addresses_.insert(fact.at);
    std::vector<std::size_t> work;
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        if (flow.blocks[block].exits && !flow.never[block]) work.push_back(block);
    const auto before = predecessors_of(flow);
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        if (flow.never[block] || ends_[block]) continue;
        ends_[block] = true;
        work.insert(work.end(), before[block].begin(), before[block].end());
    }
}

void LaneRules::refuse(std::size_t instruction, const std::string& what) const {
    refuted(fmt::format("{}: 0x{:04x}: {}", kernel_.id, code_[instruction].address, what));
}

LaneSteps LaneRules::after(const WarpState& state) {
    steps_ = {};
    block_ = state.block;
    left_when_taken_.clear();
    left_behind_.clear();
    const std::size_t last = flow_.last[block_];
    check_entries(state);
    check_points(state);
    check_iterations(state);
    try {
        std::vector<SimtStack> stacks{state.stack};
        for (std::size_t i = flow_.first[block_]; i <= last; ++i)
            execute(i, stacks);
        for (const SimtStack& stack : stacks) {
            const std::set<Way> all = ways(stack);
            if (flow_.blocks[block_].exits) go_on(stack.end(passed_over_), {});
            for (const Way& way : all)
                take(way, stack);
            if (all.size() > 1 && is_divergent(last)) diverge(all, stack);
        }
    } catch (const SimtStack::NotFollowed& not_followed) {
        refuse(last, not_followed.what);
    }
    return std::move(steps_);
}

/// The stack may be any that a bundle claims.
void LaneRules::check_entries(const WarpState& state) const {
    using Kind = SimtStack::Kind;
    const std::size_t blocks = flow_.blocks.size();
    for (const SimtStack::Entry& entry : state.stack.entries()) {
        const bool is_known = entry.kind == Kind::Explicit || entry.kind == Kind::Released
                                  ? entry.origin < std::max(blocks, code_.size())
                                  : entry.origin < blocks;
        if (!is_known || (entry.resume != SimtStack::none && entry.resume >= blocks) ||
            (entry.kind == Kind::Explicit &&
             (entry.origin >= code_.size() || !makes_point(code_[entry.origin].control_flow))))
            refuse(flow_.first[state.block],
                   "a stack names a block or a point that the code lacks");
    }
}

/// A point of a post-dominator is at a block that all paths from here reach. Lanes join none while
/// they are in a point of the code.
void LaneRules::check_points(const WarpState& state) const {
    bool is_in_explicit = false;
    for (std::size_t i = 0; i < state.stack.entries().size(); ++i) {
        const SimtStack::Entry& point = state.stack.entries()[i];
        if (!state.stack.is_in(i)) continue;
        is_in_explicit = is_in_explicit || point.kind == SimtStack::Kind::Explicit;
        if (point.kind != SimtStack::Kind::PostDominator) continue;
        if (is_in_explicit)
            refuse(flow_.first[state.block],
                   "a stack has a post-dominator that lanes in a point of the code do not join");
        auto meeting = meetings_.immediate(state.block);
        while (meeting && *meeting != point.origin)
            meeting = meetings_.immediate(*meeting);
        if (!meeting)
            refuse(flow_.first[state.block],
                   "a path leads past a point at which lanes are to reconverge");
    }
}

/// Loop bounds are those of a thread: no lane may wait inside a loop while others iterate.
void LaneRules::check_iterations(const WarpState& state) const {
    const CheckedLoop* const loop = headed_[state.block];
    if (loop == nullptr) return;
    for (const SimtStack::Entry& entry : state.stack.entries())
        if (entry.resume != SimtStack::none && loop->blocks.count(entry.resume) != 0)
            refuse(flow_.first[state.block], "some lanes may iterate this loop while others wait "
                                             "inside it, which this check does not follow");
}

void LaneRules::execute(std::size_t i, std::vector<SimtStack>& stacks) {
    const assembly::Instruction& instruction = code_[i];
    if (assembly::synchronizes_threads(instruction))
        for (const SimtStack& stack : stacks)
            if (assembly::is_guarded(instruction) || !stack.is_converged())
                refuse(i, "some lanes may come to this barrier while others are elsewhere");
    if (removes_from_point(instruction)) return execute_leave(i, stacks);
    if (makes_point(instruction.control_flow))
        for (SimtStack& stack : stacks)
            execute_join(i, stack);
}

void LaneRules::execute_join(std::size_t i, SimtStack& stack) const {
    if (assembly::is_guarded(code_[i]))
        refuse(i, "a guarded join is not followed where lanes may diverge");
    const auto reg = is_set(i) ? register_of(i) : std::nullopt;
    for (std::size_t at = 0; at < stack.entries().size(); ++at) {
        const SimtStack::Entry& entry = stack.entries()[at];
        if ((entry.kind == SimtStack::Kind::Explicit && entry.origin == i) ||
            (reg && stack.is_in(at) && is_of(entry, *reg)))
            refuse(i, "a point that lanes are in already, which this check does not follow");
    }
    stack.join(SimtStack::Kind::Explicit, i);
}

/// Under a guard either the lanes that the block's branch transfers leave the point, or the others.
void LaneRules::execute_leave(std::size_t i, std::vector<SimtStack>& stacks) {
    const assembly::Instruction& instruction = code_[i];
    if (instruction.guard && instruction.guard->never()) return;
    const auto reg = register_of(i);
    if (!reg || assembly::has_predicate_operand(instruction))
        refuse(i, "expected a barrier register alone");
    if (!assembly::is_guarded(instruction)) {
        std::vector<SimtStack> then;
        for (SimtStack& stack : stacks) {
            leave(*reg, stack);
            for (SimtStack& opened : stack.open_points(passed_over_))
                then.push_back(std::move(opened));
        }
        stacks = std::move(then);
        return;
    }
    const auto transferred = assembly::executes_if_taken(*kernel_.function, i, flow_.last[block_]);
    if (!transferred || !falls_once())
        refuse(i, "lanes that leave a point under a guard without a branch to another block "
                  "with the same guard, or its opposite, are not followed");
    (*transferred ? left_when_taken_ : left_behind_).push_back(*reg);
}

/// Ways that a path to an EXIT takes. Lanes that SYNC, BRK, CONT or BSYNC transfers arrive at their
/// point, and go on where it says; the others pass, also where that is the next instruction (C40).
std::set<LaneRules::Way> LaneRules::ways(const SimtStack& stack) const {
    const std::size_t last = flow_.last[block_];
    const bool arrives = pushed_by(code_[last].control_flow).has_value();
    const bool passes = assembly::is_guarded(code_[last]);
    const bool never = code_[last].guard && code_[last].guard->never();
    if (arrives && passes && code_[last].control_flow == Transfer::ConvergenceWait)
        refuse(last, "a guarded arrival that this check does not follow");
    std::set<Way> found;
    for (const std::size_t to : flow_.blocks[block_].successors)
        if (ends_[to] && (!arrives || (passes && falls(to)))) found.insert({to, false});
    if (!arrives || never) return found;
    for (const std::size_t to : blocks_behind(stack.entries()[arrival(stack)].origin))
        if (ends_[to]) found.insert({to, true});
    return found;
}

/// Some lanes take one successor now, others take theirs later.
void LaneRules::diverge(const std::set<Way>& ways, const SimtStack& stack) {
    if (flow_.blocks[block_].exits || ways.size() > most_ways)
        refuse(flow_.last[block_], "lanes may diverge to more paths than this check follows");
    // In a point of the code lanes join no post-dominator (C40). So it matters here whether there
    // is one that the stack may lack; elsewhere they join it, or one before it.
    if (is_in_explicit(stack))
        for (const SimtStack& one : stack.with_points_absent())
            diverge_from(ways, one);
    else
        diverge_from(ways, stack);
}

void LaneRules::diverge_from(const std::set<Way>& ways, const SimtStack& stack) {
    for (const Way& now : ways) {
        std::vector<Way> others;
        std::copy_if(ways.begin(), ways.end(), std::back_inserter(others),
                     [&](const Way& way) { return way != now; });
        const std::size_t all = (std::size_t{1} << others.size()) - 1;
        const bool optional = ways.size() > most_distinguished;
        for (std::size_t some = optional ? all : 1; some <= all; ++some) {
            std::vector<Way> later;
            for (std::size_t i = 0; i < others.size(); ++i)
                if (((some >> i) & 1U) != 0) later.push_back(others[i]);
            diverge(now, later, optional, stack);
        }
    }
}

bool LaneRules::is_in_explicit(const SimtStack& stack) {
    const auto& entries = stack.entries();
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (stack.is_in(i) && entries[i].kind == SimtStack::Kind::Explicit) return true;
    return false;
}

/// Lanes that are in no point of the code join one where all paths meet (C40).
void LaneRules::join_where_paths_meet(SimtStack& stack) const {
    if (is_in_explicit(stack)) return;
    const auto& entries = stack.entries();
    const auto meeting = meetings_.immediate(block_);
    const auto point = stack.innermost();
    if (!meeting || (point && is_at(entries[*point], *meeting))) return;
    for (const SimtStack::Entry& entry : entries)
        if (is_at(entry, *meeting))
            refuse(flow_.last[block_], "the paths from here reconverge where those around it do, "
                                       "which this check does not follow");
    stack.join(SimtStack::Kind::PostDominator, *meeting);
}

void LaneRules::diverge(const Way& now, const std::vector<Way>& later, bool optional,
                        SimtStack stack) {
    join_where_paths_meet(stack);
    const SimtStack before = stack;
    diverged_perhaps_ = optional;
    for (const Way& way : later) {
        SimtStack others = before;
        leave_when_taking(way, others);
        std::optional<std::size_t> point;
        if (way.arrives)
            point = arrival_over(way, others);
        else if (const auto inner = others.innermost();
                 inner && is_at(others.entries()[*inner], way.block))
            point = inner;
        if (point) {
            stack.wait_at(*point, way.block, others);
            continue;
        }
        stack.push_pending(block_, way.block, others, later.size() > 1, optional);
        diverged_.emplace(way.block, gaps_over(way));
    }
    if (later.size() > 1) stack.merge_groups();
    take(now, std::move(stack));
    diverged_.clear();
}

/// All active lanes take the edge.
void LaneRules::take(const Way& way, SimtStack stack) {
    leave_when_taking(way, stack);
    for (SimtStack& opened : stack.open_points(passed_over_)) {
        if (way.arrives)
            go_on(opened.arrive(arrival_over(way, opened), way.block, passed_over_),
                  gaps_over(way));
        else
            reach(way.block, gaps_over(way), std::move(opened));
    }
}

/// The active lanes reach the block.
void LaneRules::reach(std::size_t block, const EdgeGaps& gaps, SimtStack stack) {
    for (std::size_t i = 0; i < stack.entries().size(); ++i) {
        if (!stack.is_in(i) || !is_at(stack.entries()[i], block)) continue;
        if (stack.innermost() != i)
            refuse(flow_.first[block], "lanes pass a reconvergence point without arriving, "
                                       "which this check does not follow");
        return go_on(stack.arrive(i, block, passed_over_), gaps);
    }
    EdgeGaps& known = steps_.next[{block, std::move(stack)}];
    known.falls = known.falls || gaps.falls;
    known.transfers = known.transfers || gaps.transfers;
}

/// Lanes that take this way fall through, are transferred, or either. BSYNC does not transfer them
/// where they go on behind it (C4).
EdgeGaps LaneRules::gaps_over(const Way& way) const {
    if (!falls(way.block)) return {.falls = false, .transfers = true};
    const std::size_t last = flow_.last[block_];
    const Transfer by = code_[last].control_flow;
    if (!pushed_by(by) || by == Transfer::ConvergenceWait) return in_text_[last];
    return {.falls = !way.arrives, .transfers = way.arrives};
}

/// C41. Lanes that a point lets go on at once have those among them that arrived. Of pending lanes
/// only those that diverged just now were sent there by the block's last instruction; they have
/// been pending for the shortest time, unless a point released others. To all other lanes control
/// is transferred.
EdgeGaps LaneRules::gaps_before(const SimtStack::Resumed& lanes,
                                const EdgeGaps& of_arrivals) const {
    using Kind = SimtStack::Kind;
    if (lanes.kind == Kind::Explicit || lanes.kind == Kind::PostDominator) return of_arrivals;
    EdgeGaps gaps{.falls = false, .transfers = true};
    const auto diverged = diverged_.find(lanes.block);
    if (lanes.kind != Kind::Pending || diverged == diverged_.end()) return gaps;
    gaps = diverged->second;
    gaps.transfers = gaps.transfers || diverged_perhaps_;
    return gaps;
}

void LaneRules::go_on(const std::vector<SimtStack::Resumed>& resumed, const EdgeGaps& of_arrivals) {
    for (const SimtStack::Resumed& lanes : resumed) {
        if (lanes.block == SimtStack::none) {
            steps_.ends = true;
            continue;
        }
        // Released at a post-dominator, the lanes may be in an outer point at the same block.
        reach(lanes.block, gaps_before(lanes, of_arrivals), lanes.stack);
    }
}

bool LaneRules::is_divergent(std::size_t instruction) const {
    return divergent_addresses_.count(code_[instruction].address) != 0;
}

void LaneRules::leave(int reg, SimtStack& stack) const {
    for (std::size_t i = stack.entries().size(); i-- > 0;)
        if (stack.is_in(i) && is_of(stack.entries()[i], reg)) return stack.leave(i);
}

bool LaneRules::is_set(std::size_t i) const {
    return code_[i].control_flow == Transfer::ConvergenceSet;
}

std::optional<int> LaneRules::register_of(std::size_t i) const {
    return assembly::barrier_register(code_[i]);
}

bool LaneRules::is_of(const SimtStack::Entry& entry, int reg) const {
    return entry.kind == SimtStack::Kind::Explicit && is_set(entry.origin) &&
           register_of(entry.origin) == reg;
}

bool LaneRules::falls(std::size_t way) const {
    return flow_.first[way] == flow_.last[block_] + 1;
}

/// One of the two successors is the instruction after the last one.
bool LaneRules::falls_once() const {
    const auto& to = flow_.blocks[block_].successors;
    return to.size() == 2 && falls(to.front()) != falls(to.back());
}

/// The lanes that take this way leave points.
void LaneRules::leave_when_taking(const Way& way, SimtStack& stack) const {
    const bool transferred = way.arrives || !falls(way.block);
    for (const int reg : transferred ? left_when_taken_ : left_behind_)
        leave(reg, stack);
}

std::size_t LaneRules::arrival(const SimtStack& stack) const {
    const std::size_t last = flow_.last[block_];
    const auto kind = pushed_by(code_[last].control_flow);
    const bool waits = kind == Transfer::ConvergenceSet;
    for (std::size_t i = stack.entries().size(); i-- > 0;) {
        if (!stack.is_in(i) || stack.entries()[i].kind != SimtStack::Kind::Explicit) continue;
        const std::size_t maker = stack.entries()[i].origin;
        const Transfer made = code_[maker].control_flow;
        if (made == kind && (!waits || register_of(maker) == register_of(last))) return i;
        if (waits || made == Transfer::ConvergenceSet)
            refuse(last, "lanes arrive at a point that is not the innermost, which this check "
                         "does not follow");
    }
    refuse(last, "no point is joined at which lanes arrive");
}

/// Of lanes that have left points meanwhile.
std::size_t LaneRules::arrival_over(const Way& way, const SimtStack& stack) const {
    const std::size_t point = arrival(stack);
    if (blocks_behind(stack.entries()[point].origin).count(way.block) == 0)
        refuse(flow_.last[block_], "lanes go on elsewhere than their point says");
    return point;
}

/// Lanes go on where the instruction that set the point says; BSYNC to itself falls through.
std::set<std::size_t> LaneRules::blocks_behind(std::size_t maker) const {
    const std::size_t last = flow_.last[block_];
    const auto target = target_of(code_[maker]);
    const std::int64_t itself = code_[last].address;
    std::set<std::size_t> blocks;
    for (const std::size_t to : flow_.blocks[block_].successors)
        if (target == code_[flow_.first[to]].address ||
            (is_set(maker) && target == itself && falls(to)))
            blocks.insert(to);
    if (blocks.empty()) refuse(last, "lanes go on elsewhere than their point says");
    return blocks;
}

} // namespace warpbound::certification::verify

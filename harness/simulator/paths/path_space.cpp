#include "harness/simulator/paths/path_space.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

constexpr std::size_t position_limit = std::size_t{1} << 22U;

std::size_t positions_of_depth(std::size_t depth) {
    std::size_t count = 1;
    for (std::size_t loop = 0; loop < depth; ++loop)
        count = std::min(count * 3, position_limit + 1);
    return count;
}

/// The next combination of digits 0, 1, 2; false after the last.
bool advance(std::vector<int>& digits) {
    for (int& digit : digits) {
        if (++digit < 3) return true;
        digit = 0;
    }
    return false;
}

/// Whether the bound allows an entry into the loop after which `digit` (2: two or more) header
/// executions remain.
bool allows(const LoopBound& bound, int digit) {
    const std::int64_t count = digit + 1;
    return count <= bound.max && (digit == 2 || count >= bound.min);
}

} // namespace

Result<PathSpace> PathSpace::build(const assembly::ControlFlowGraph& graph,
                                   std::span<const LoopBound> bounds,
                                   const std::vector<bool>& excluded,
                                   const PathRestrictions& restrictions) {
    PathSpace space;
    space.graph_ = &graph;
    space.bounds_.assign(bounds.begin(), bounds.end());
    space.excluded_ = excluded;
    space.excluded_edges_ = restrictions.excluded_edges;
    space.excluded_ends_ = restrictions.excluded_ends;
    space.shared_choices_ = restrictions.shared_choices;
    if (!space.shared_choices_.empty()) {
        space.shared_loops_.assign(graph.blocks.size(), false);
        for (const assembly::Loop& loop : graph.loops)
            space.shared_loops_[loop.header] =
                std::any_of(loop.blocks.begin(), loop.blocks.end(),
                            [&](std::size_t block) { return space.shared_choices_[block]; });
    }
    std::size_t positions = 0;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        std::vector<std::size_t> enclosing;
        for (auto loop = graph.innermost_loop[block]; loop; loop = graph.loops[*loop].parent)
            enclosing.push_back(*loop);
        std::reverse(enclosing.begin(), enclosing.end());
        space.greatest_depth_ = std::max(space.greatest_depth_, enclosing.size());
        space.first_position_.push_back(positions);
        positions += positions_of_depth(enclosing.size());
        if (positions > position_limit)
            return Failure{"the loops are nested too deeply to choose a path", "", 0, 0};
        space.enclosing_loops_.push_back(std::move(enclosing));
    }
    for (const assembly::Edge& edge : graph.edges) {
        const auto& from = space.enclosing_loops_[edge.from];
        const auto& to = space.enclosing_loops_[edge.to];
        Step step{.to = edge.to};
        while (step.common < from.size() && step.common < to.size() &&
               from[step.common] == to[step.common])
            ++step.common;
        step.enters = to.size() > step.common;
        step.iterates =
            !step.enters && step.common > 0 && graph.loops[to[step.common - 1]].header == edge.to;
        space.steps_.push_back(step);
    }
    space.can_finish_.assign(positions, false);
    space.visited_.assign(graph.blocks.size(), false);
    space.find_finishing();
    space.find_visited();
    return space;
}

std::size_t PathSpace::position(std::size_t block, std::span<const int> digits) const {
    std::size_t index = 0;
    for (std::size_t loop = digits.size(); loop-- > 0;)
        index = index * 3 + static_cast<std::size_t>(digits[loop]);
    return first_position_[block] + index;
}

bool PathSpace::can_finish(std::size_t block, std::span<const std::int64_t> remaining) const {
    std::size_t index = 0;
    for (std::size_t loop = remaining.size(); loop-- > 0;)
        index = index * 3 + static_cast<std::size_t>(std::min<std::int64_t>(remaining[loop], 2));
    return can_finish_[first_position_[block] + index];
}

bool PathSpace::is_allowed(std::size_t edge, std::span<const std::int64_t> remaining,
                           std::vector<std::int64_t>& trial) const {
    const Step& step = steps_[edge];
    if (!excluded_edges_.empty() && excluded_edges_[edge]) return false;
    const auto kept = static_cast<std::ptrdiff_t>(step.common);
    if (std::any_of(remaining.begin() + kept, remaining.end(),
                    [](std::int64_t left) { return left != 0; }))
        return false;
    trial.assign(remaining.begin(), remaining.begin() + kept);
    if (step.iterates) {
        if (trial.back() == 0) return false;
        --trial.back();
    }
    if (!step.enters) return can_finish(step.to, trial);
    const LoopBound& bound = innermost_bound(step.to);
    trial.push_back(0);
    for (std::int64_t left = 0; left < 3; ++left) {
        const std::int64_t count = left + 1;
        if (count > bound.max || (left < 2 && count < bound.min)) continue;
        trial.back() = left;
        if (can_finish(step.to, trial)) return true;
    }
    return false;
}

/// If the EXIT is reachable after two executions of the header, it is reachable after one and after
/// any greater number.
LoopBound PathSpace::entry_iterations(std::size_t header,
                                      std::vector<std::int64_t>& remaining) const {
    const LoopBound& bound = innermost_bound(header);
    remaining.push_back(1);
    const std::int64_t greatest = can_finish(header, remaining) ? bound.max : 1;
    remaining.pop_back();
    return {std::min(bound.min, greatest) - 1, greatest - 1};
}

bool PathSpace::can_end(std::size_t block, const Digits& digits) const {
    return may_end(block) &&
           std::all_of(digits.begin(), digits.end(), [](int digit) { return digit == 0; });
}

template <typename Visit>
bool PathSpace::follow(std::size_t edge, const Digits& digits, bool any_iteration,
                       Visit visit) const {
    const Step& step = steps_[edge];
    if (excluded_[step.to] || (!excluded_edges_.empty() && excluded_edges_[edge])) return false;
    const auto kept = static_cast<std::ptrdiff_t>(step.common);
    if (std::any_of(digits.begin() + kept, digits.end(), [](int digit) { return digit != 0; }))
        return false;
    Digits next(digits.begin(), digits.begin() + kept);
    if (step.iterates) {
        if (next.back() == 0) return false;
        --next.back();
        if (visit(step.to, next)) return true;
        if (!any_iteration || next.back() == 0) return false;
        ++next.back();
        return visit(step.to, next);
    }
    if (!step.enters) return visit(step.to, next);
    next.push_back(0);
    for (int digit = 0; digit < 3; ++digit) {
        next.back() = digit;
        if (allows(innermost_bound(step.to), digit) && visit(step.to, next)) return true;
    }
    return false;
}

void PathSpace::find_finishing() {
    const auto has_successor = [this](std::size_t block, const Digits& digits) {
        if (can_end(block, digits)) return true;
        const auto& out = graph_->blocks[block].out;
        return std::any_of(out.begin(), out.end(), [&](std::size_t edge) {
            return follow(edge, digits, false, [this](std::size_t to, const Digits& next) {
                return bool{can_finish_[position(to, next)]};
            });
        });
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = graph_->blocks.size(); block-- > 0;) {
            if (excluded_[block]) continue;
            Digits digits(enclosing_loops_[block].size(), 0);
            do {
                const std::size_t here = position(block, digits);
                if (can_finish_[here] || !has_successor(block, digits)) continue;
                can_finish_[here] = true;
                changed = true;
            } while (advance(digits));
        }
    }
}

void PathSpace::find_visited() {
    std::vector<bool> seen(can_finish_.size(), false);
    std::vector<std::pair<std::size_t, Digits>> worklist;
    const auto see = [&](std::size_t block, const Digits& digits) {
        const std::size_t here = position(block, digits);
        if (!can_finish_[here] || seen[here]) return false;
        seen[here] = true;
        visited_[block] = true;
        worklist.emplace_back(block, digits);
        return false;
    };
    Digits digits(enclosing_loops_[0].size(), 0);
    do {
        if (digits.empty() || allows(innermost_bound(0), digits.back())) see(0, digits);
    } while (advance(digits));
    has_path_ = !worklist.empty();
    while (!worklist.empty()) {
        const auto [block, here] = std::move(worklist.back());
        worklist.pop_back();
        for (const std::size_t edge : graph_->blocks[block].out)
            follow(edge, here, true, see);
    }
}

} // namespace warpbound::harness::simulator

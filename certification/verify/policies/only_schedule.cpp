#include "certification/verify/policies/only_schedule.hpp"

#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/policies/issue_rules.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t most_turns = std::int64_t{1} << 20U;

/// Follows the control flow as long as the facts leave one way.
class OnlyPath {
public:
    OnlyPath(const TimedCode& code, bool upper)
        : flow_{upper ? code.upper_flow : *code.represented_flow}, may_end_early_{upper},
          next_in_text_{next_in_text(code)}, back_edges_(flow_.loops.size(), 0) {}

    /// Its issues; none: there may be another path, or more issues than `most`.
    std::optional<std::vector<IssueStep>> steps(std::size_t most) {
        std::vector<IssueStep> steps;
        std::size_t block = 0;
        IssueStep enters{.before = {}, .next = flow_.first.front()};
        while (true) {
            steps.push_back(enters);
            for (std::size_t i = flow_.first[block]; i < flow_.last[block]; ++i)
                steps.push_back({.before = i, .next = i + 1});
            if (steps.size() > most) return std::nullopt;
            const std::vector<std::size_t> next = open_successors(block);
            if (next.empty() && flow_.blocks[block].exits && innermost(block) == nullptr)
                return steps;
            if (next.empty() || (flow_.blocks[block].exits && !may_end_early_)) return std::nullopt;
            const auto to = next.size() == 1 ? std::optional{next.front()} : decided(block, next);
            if (!to || !follow(block, *to)) return std::nullopt;
            const std::size_t last = flow_.last[block];
            const bool falls = flow_.first[*to] == last + 1 && next_in_text_[last].falls;
            if (falls && next_in_text_[last].transfers) return std::nullopt;
            enters = {last, flow_.first[*to], !falls, true};
            block = *to;
        }
    }

private:
    [[nodiscard]] std::vector<std::size_t> open_successors(std::size_t block) const {
        std::vector<std::size_t> open;
        for (const std::size_t to : flow_.blocks[block].successors)
            if (!flow_.never[to]) open.push_back(to);
        return open;
    }

    /// Null: it is in none.
    [[nodiscard]] const CheckedLoop* innermost(std::size_t block) const {
        for (const CheckedLoop& loop : flow_.loops) // Inner loops come first.
            if (loop.blocks.count(block) != 0) return &loop;
        return nullptr;
    }

    [[nodiscard]] std::size_t ways_out(const CheckedLoop& loop) const {
        std::size_t ways = 0;
        for (const std::size_t block : loop.blocks)
            for (const std::size_t to : open_successors(block))
                if (loop.blocks.count(to) == 0) ++ways;
        return ways;
    }

    /// Where a loop has one way out, it is taken after the last iteration.
    [[nodiscard]] std::optional<std::size_t> decided(std::size_t block,
                                                     const std::vector<std::size_t>& next) const {
        const CheckedLoop* loop = innermost(block);
        if (loop == nullptr || next.size() != 2 || ways_out(*loop) != 1) return std::nullopt;
        const bool first_stays = loop->blocks.count(next.front()) != 0;
        if (first_stays == (loop->blocks.count(next.back()) != 0)) return std::nullopt;
        const bool stays = back_edges_[index_of(*loop)] < loop->max_back_edges;
        return stays == first_stays ? next.front() : next.back();
    }

    [[nodiscard]] std::size_t index_of(const CheckedLoop& loop) const {
        return static_cast<std::size_t>(&loop - flow_.loops.data());
    }

    /// Whether the loop bounds leave no other number of iterations.
    bool follow(std::size_t from, std::size_t to) {
        for (const CheckedLoop& loop : flow_.loops) {
            std::int64_t& taken = back_edges_[index_of(loop)];
            const bool was_inside = loop.blocks.count(from) != 0;
            if (was_inside && loop.blocks.count(to) == 0) {
                if (loop.min_back_edges != loop.max_back_edges || taken != loop.max_back_edges)
                    return false;
            } else if (loop.header == to) {
                taken = was_inside ? taken + 1 : 0;
                if (taken > loop.max_back_edges) return false;
            }
        }
        return true;
    }

    const ControlFlow& flow_;
    bool may_end_early_;
    std::vector<NextInText> next_in_text_;
    std::vector<std::int64_t> back_edges_; ///< Per loop, since it was entered.
};

/// Whether every turn issues one instruction and waits for no other warp.
bool has_one_issue_per_turn(const TimedCode& code) {
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const models::InstructionTiming& timing = code.timings[i].value();
        if (timing.is_barrier_wait || timing.gap.lo == 0 || timing.gap_taken.lo == 0) return false;
    }
    return true;
}

struct WarpInTurns {
    Outstanding left;
    std::int64_t issued = 0; ///< Cycle of its last issue.
};

/// The k-th turn of each warp is the k-th step.
class Turns {
public:
    Turns(const TimedCode& code, std::int64_t warps, bool upper)
        : code_{code}, rules_{code, upper},
          warps_(static_cast<std::size_t>(warps)), slot_{upper ? code.geometry.issue_slot.hi
                                                               : code.geometry.issue_slot.lo} {}

    /// Until the last one completes (C2).
    std::int64_t take(const std::vector<IssueStep>& steps) {
        for (const IssueStep& step : steps)
            for (WarpInTurns& warp : warps_)
                take_turn(step, warp);
        std::int64_t end = 0;
        for (const WarpInTurns& warp : warps_)
            end =
                std::max(end, models::plus(warp.issued, std::max<std::int64_t>(1, warp.left.end)));
        return end;
    }

private:
    void take_turn(const IssueStep& step, WarpInTurns& warp) {
        const models::InstructionTiming& timing = code_.timings[step.next].value();
        const std::int64_t use = rules_.use_of_port(step.next);
        const bool shares_port = use > 0 && !is_port_of_warp(code_, timing);
        std::int64_t cycle = free_from_;
        if (step.before)
            cycle = std::max(cycle, models::plus(warp.issued, rules_.wait(warp.left, step)));
        if (shares_port) cycle = std::max(cycle, ports_[timing.unit]);
        warp.left.pass(cycle - warp.issued);
        rules_.issue(warp.left, step);
        warp.issued = cycle;
        free_from_ = models::plus(cycle, slot_);
        if (shares_port) {
            std::int64_t& free = ports_[timing.unit];
            free = std::max(free, models::plus(cycle, use));
        }
    }

    const TimedCode& code_;
    WarpRules rules_;
    std::vector<WarpInTurns> warps_;
    std::int64_t slot_;
    std::int64_t free_from_ = 0; ///< The scheduler.
    std::map<std::size_t, std::int64_t> ports_;
};

} // namespace

std::optional<std::int64_t> time_of_only_schedule(const TimedCode& code, std::int64_t warps,
                                                  bool upper) {
    // S78: neither places nor hand-overs are followed.
    if (!has_one_issue_per_turn(code) || has_queued_instructions(code)) return std::nullopt;
    const auto steps = OnlyPath{code, upper}.steps(static_cast<std::size_t>(most_turns / warps));
    if (!steps) return std::nullopt;
    return Turns{code, warps, upper}.take(*steps);
}

} // namespace warpbound::certification::verify

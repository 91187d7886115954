#include "certification/verify/policies/dependence_stalls.hpp"

#include "certification/verify/flow/next_in_text.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/policies/issue_rules.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

namespace {

void lengthen(std::int64_t& longest, std::int64_t cycles) {
    longest = std::max(longest, cycles);
}

void shorten(std::int64_t& longest, std::int64_t cycles) {
    longest = std::min(longest, cycles);
}

/// The fixed point over all paths of the largest remaining times. Where only cycles beside the
/// backlog count (S78), those between two issues need not be among them: nothing passes.
class StallsOnAllPaths {
public:
    StallsOnAllPaths(const TimedCode& code, QueueDelay delay)
        : code_{code}, flow_{code.upper_flow}, delay_{delay}, upper_{code, true, delay},
          lower_{code, false}, next_in_text_{next_in_text(code.kernel, code.lower_flow)},
          after_first_(flow_.blocks.size()) {
        stalls_.of_instruction.assign(code.timings.size(), 0);
    }

    DependenceStalls find() {
        upper_.issue(after_first_.front().emplace(), {.before = {}, .next = flow_.first.front()});
        open_.insert(0);
        while (!open_.empty()) {
            const std::size_t block = *open_.begin();
            open_.erase(open_.begin());
            follow(block, *after_first_[block]);
        }
        return std::move(stalls_);
    }

    /// That may follow a barrier.
    [[nodiscard]] const std::set<std::size_t>& after_barriers() const { return after_barrier_; }

private:
    /// `left`: after the issue of the block's first instruction.
    void follow(std::size_t block, Outstanding left) {
        for (std::size_t i = flow_.first[block]; i < flow_.last[block]; ++i)
            pass({.before = i, .next = i + 1}, left);
        const std::size_t last = flow_.last[block];
        if (flow_.blocks[block].exits) lengthen(stalls_.completion, left.end);
        for (const std::size_t to : flow_.blocks[block].successors) {
            if (flow_.never[to]) continue;
            const EdgeGaps gaps = gaps_of_edge(flow_, next_in_text_, block, to);
            if (gaps.transfers) enter(last, to, true, left);
            if (gaps.falls) enter(last, to, false, left);
        }
    }

    void enter(std::size_t last, std::size_t to, bool transfers, Outstanding left) {
        pass({last, flow_.first[to], transfers, true}, left);
        if (!after_first_[to])
            after_first_[to] = std::move(left);
        else if (!after_first_[to]->cover(left))
            return;
        open_.insert(to);
    }

    /// Between the two issues passes at least what `before` alone makes the next one wait for.
    void pass(const IssueStep& step, Outstanding& left) {
        lengthen(stalls_.of_instruction[step.next], upper_.wait(left, step));
        if (code_.timings[*step.before].value().is_barrier_wait) after_barrier_.insert(step.next);
        if (delay_ == QueueDelay::LongestStay) {
            Outstanding of_before;
            lower_.issue(of_before, {.before = {}, .next = *step.before});
            left.pass(lower_.wait(of_before, step));
        }
        upper_.issue(left, step);
    }

    const TimedCode& code_;
    const ControlFlow& flow_;
    QueueDelay delay_;
    WarpRules upper_;
    WarpRules lower_;
    std::vector<EdgeGaps> next_in_text_;
    /// By block: what is left after the issue of its first instruction.
    std::vector<std::optional<Outstanding>> after_first_;
    std::set<std::size_t> open_;
    std::set<std::size_t> after_barrier_; ///< Instructions.
    DependenceStalls stalls_;             ///< Of instructions, and up to completion.
};

} // namespace

DependenceStalls dependence_stalls_of(const TimedCode& code) {
    StallsOnAllPaths all{code, QueueDelay::LongestStay};
    DependenceStalls stalls = all.find();
    if (has_queued_instructions(code)) {
        const DependenceStalls beside = StallsOnAllPaths{code, QueueDelay::BesideBacklog}.find();
        shorten(stalls.completion, beside.completion);
        for (std::size_t i = 0; i < stalls.of_instruction.size(); ++i)
            shorten(stalls.of_instruction[i], beside.of_instruction[i]);
    }
    for (const std::int64_t stall : stalls.of_instruction)
        lengthen(stalls.longest, stall);
    for (const std::size_t i : all.after_barriers())
        lengthen(stalls.after_barrier, stalls.of_instruction[i]);
    return stalls;
}

} // namespace warpbound::certification::verify

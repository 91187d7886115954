#include "analyzer/turn_terms.hpp"

#include "analyzer/common_barriers.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

using models::Cycles;

namespace {

std::int64_t longest_behind_barriers(const Problem& problem, const InstructionCosts& waits) {
    const auto& graph = *problem.request.graph;
    std::int64_t longest = 0;
    for (const auto& block : graph.blocks)
        for (std::size_t i = block.first; i <= block.last; ++i) {
            if (!is_barrier(problem, i)) continue;
            if (i < block.last) {
                longest = std::max(longest, waits[i + 1]);
                continue;
            }
            for (const std::size_t edge : block.out)
                longest = std::max(longest, waits[graph.blocks[graph.edges[edge].to].first]);
        }
    return longest;
}

} // namespace

TurnTimes::TurnTimes(const Problem& problem, const SidePair& rules, models::Cycles alone)
    : problem_{problem}, ports_{port_times(problem)}, alone_{alone.count()} {
    LongestWaits waits = longest_waits(*problem.request.graph, rules.lower, rules.upper,
                                       problem.facts.never, problem.timings.size());
    waits_ = std::move(waits.instructions);
    completion_ = waits.completion;
    turns_ = most_on_a_path(problem, InstructionCosts(ports_.size(), 1));
    for (std::size_t i = 0; i < waits_.size(); ++i)
        if (problem.used[i]) longest_wait_ = std::max(longest_wait_, waits_[i]);
    longest_behind_barriers_ = longest_behind_barriers(problem, waits_);
}

Cycles TurnTimes::round(const TurnChain& chain) const {
    return Cycles{problem_.shape.issue_slot.hi} * chain.places;
}

InstructionCosts TurnTimes::held(const TurnChain& chain) const {
    const InstructionCosts others = cost_to_other_schedulers(problem_);
    InstructionCosts held(ports_.size(), 0);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        held[i] = std::max<std::int64_t>(0, ports_[i] - problem_.shape.issue_slot.lo);
        if (chain.moves) held[i] = std::max(held[i], others[i]);
    }
    return held;
}

std::vector<BoundTerm> TurnTimes::waits(const TurnChain& chain, std::int64_t each) const {
    const std::int64_t covered = (round(chain) + Cycles{each}).count();
    const auto beyond = [&](std::int64_t wait) {
        return std::max<std::int64_t>(0, wait - covered);
    };
    const InstructionCosts held = this->held(chain);
    InstructionCosts both = held;
    for (std::size_t i = 0; i < both.size(); ++i)
        both[i] = (Cycles{both[i]} + Cycles{beyond(waits_[i])}).count();
    return {{"wait of a round for a warp", chain.rounds, each},
            {each == 0 ? "rounds that wait for a warp, and ports that it takes beyond its slots"
                       : "rounds that wait longer for a warp, and ports that it takes beyond its "
                         "slots",
             chain.warps, most_on_a_path(problem_, both)},
            {"ports that a warp takes beyond its slots", chain.further_warps,
             chain.further_warps > 0 ? most_on_a_path(problem_, held) : 0},
            {"wait of a round for a block that starts", chain.starts_in_turn,
             beyond(problem_.shape.refill.hi)}};
}

std::vector<BoundTerm> TurnTimes::least_waits(const TurnChain& chain) const {
    const std::int64_t covered = round(chain).count();
    std::vector<std::int64_t> levels{0};
    for (const std::int64_t wait : waits_)
        levels.push_back(std::max<std::int64_t>(0, wait - covered));
    if (chain.starts_in_turn > 0)
        levels.push_back(std::max<std::int64_t>(0, problem_.shape.refill.hi - covered));
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    // The sum is convex in what every round waits.
    std::size_t first = 0;
    std::size_t last = levels.size() - 1;
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (sum_of(waits(chain, levels[middle])) <= sum_of(waits(chain, levels[middle + 1])))
            last = middle;
        else
            first = middle + 1;
    }
    return waits(chain, levels[first]);
}

std::vector<BoundTerm> TurnTimes::by_rounds(const TurnChain& chain) const {
    const models::Interval& slot = problem_.shape.issue_slot;
    std::vector<BoundTerm> terms{
        {"issue slots of the warps of a scheduler, one of each in a round",
         (Cycles{chain.rounds} * chain.places + Cycles{chain.places - 1}).count(), slot.hi},
        {"time from the last EXIT to completion", 1, completion_}};
    for (BoundTerm& term : least_waits(chain))
        terms.push_back(std::move(term));
    // Who comes back is waited for, and its turns come beside those of a round.
    const std::int64_t refill = problem_.shape.refill.hi;
    const std::int64_t of_block = problem_.shape.on_one_scheduler(problem_.shape.warps_per_block);
    const auto with_turns = [&](std::int64_t wait) {
        return (Cycles{wait} + Cycles{slot.hi} * (chain.places - 1 + of_block)).count();
    };
    terms.push_back({"wait of the critical chain behind a barrier or at the start of a block",
                     chain.returns, with_turns(std::max({longest_wait_, refill, slot.hi}))});
    terms.push_back({"wait for warps of another block behind a barrier", chain.openings,
                     with_turns(longest_behind_barriers_)});
    terms.push_back(
        {"wait for warps of another block that starts", chain.starts, with_turns(refill)});
    if (chain.starts_in_turn > 0)
        terms.push_back({"turns before the last block started that came faster",
                         2 * (chain.places - 1), slot.hi - slot.lo});
    return terms;
}

std::vector<BoundTerm> TurnTimes::by_warps(const TurnChain& chain) const {
    const models::Interval& slot = problem_.shape.issue_slot;
    const Cycles turns = Cycles{turns_} * chain.blocks * (chain.places - 1);
    const std::int64_t cut = chain.blocks > 1 ? 1 : 0;
    // Of blocks with one warp the chain's own starts are among those of the scheduler.
    const std::int64_t starts =
        chain.starts_in_turn > 0 ? chain.starts_in_turn : chain.starts + chain.blocks - 1;
    return {{"one warp alone, in each block of the critical chain", chain.blocks, alone_},
            {"issue slots of the other warps of a scheduler, one of each before each turn",
             (turns + Cycles{chain.returns + cut}).count(), slot.hi},
            {"waits of another warp whose turn it is", chain.holders, alone_},
            {"replacement and start of a block", starts, problem_.shape.refill.hi},
            {"ports that a warp takes beyond its slots", chain.warps + chain.further_warps,
             most_on_a_path(problem_, held(chain))}};
}

std::vector<BoundTerm> TurnTimes::terms(const TurnChain& chain) const {
    std::vector<BoundTerm> terms = by_warps(chain);
    // A round may wait for the loads of several warps, each of which waits at caches (S29a).
    if (!problem_.caches)
        if (std::vector<BoundTerm> rounds = by_rounds(chain); sum_of(rounds) <= sum_of(terms))
            terms = std::move(rounds);
    terms.push_back(beside(chain));
    if (chain.jumps)
        terms.push_back({"an instruction issued before the chain went over to another block", 1,
                         *std::max_element(ports_.begin(), ports_.end())});
    const auto is_nothing = [](const BoundTerm& term) {
        return term.count == 0 || term.cycles == 0;
    };
    terms.erase(std::remove_if(terms.begin(), terms.end(), is_nothing), terms.end());
    return terms;
}

BoundTerm TurnTimes::beside(const TurnChain& chain) const {
    return {"ports of the multiprocessor that a warp takes from those of other schedulers",
            chain.warps_beside, most_on_a_path(problem_, cost_to_other_schedulers(problem_))};
}

} // namespace warpbound::analyzer

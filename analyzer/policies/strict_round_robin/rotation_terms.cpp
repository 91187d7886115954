#include "analyzer/policies/strict_round_robin/rotation_terms.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/policies/strict_round_robin/dependence_stalls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

using models::Cycles;

namespace {

std::int64_t longest_behind_barriers(const AnalysisContext& context,
                                     const InstructionCosts& waits) {
    const auto& graph = *context.request.graph;
    std::int64_t longest = 0;
    for (const auto& block : graph.blocks)
        for (std::size_t i = block.first; i <= block.last; ++i) {
            if (!is_barrier(context, i)) continue;
            if (i < block.last) {
                longest = std::max(longest, waits[i + 1]);
                continue;
            }
            for (const std::size_t edge : block.out)
                longest = std::max(longest, waits[graph.blocks[graph.edges[edge].to].first]);
        }
    return longest;
}

std::string upper(const std::string& kind) {
    return "execution-time-upper" + kind;
}

/// What the name of a lemma ends in where ports of warps of other schedulers count.
std::string anywhere(const RotationPath& chain) {
    return chain.moves ? "-any-scheduler" : "";
}

/// Of these chains that with the largest sum.
template <class TermsOf>
std::vector<BoundTerm> slowest(const std::vector<RotationPath>& chains, TermsOf terms_of) {
    std::vector<BoundTerm> most;
    for (const RotationPath& chain : chains) {
        std::vector<BoundTerm> terms = terms_of(chain);
        if (most.empty() || sum_of(most) < sum_of(terms)) most = std::move(terms);
    }
    return most;
}

} // namespace

RoundRobinDelay::RoundRobinDelay(const AnalysisContext& context, const PipelinePair& rules,
                                 models::Cycles alone)
    : context_{context}, ports_{port_times(context)}, alone_{alone.count()} {
    // Whoever checks evidence knows what may be waited for, not what is outstanding where.
    LongestStalls waits = context.request.proofs != nullptr
                              ? stalls_in_any_order(context)
                              : longest_stalls(*context.request.graph, rules.lower, rules.upper,
                                               context.facts.never, context.timings.size());
    waits_ = std::move(waits.instructions);
    completion_ = waits.completion;
    turns_ = most_on_a_path(context, InstructionCosts(ports_.size(), 1));
    for (std::size_t i = 0; i < waits_.size(); ++i)
        if (context.used[i]) longest_wait_ = std::max(longest_wait_, waits_[i]);
    longest_behind_barriers_ = longest_behind_barriers(context, waits_);
}

Cycles RoundRobinDelay::turns_of(const RotationPath& chain) const {
    return Cycles{context_.shape.issue_slot.hi} * chain.places;
}

BoundTerm RoundRobinDelay::term(std::string text, std::int64_t count,
                                const CertificateName& certificate,
                                const InstructionCosts& costs) const {
    return {std::move(text), count, certified_most(context_, certificate, costs), certificate.id};
}

InstructionCosts RoundRobinDelay::held(const RotationPath& chain) const {
    const InstructionCosts others = cost_to_other_schedulers(context_);
    InstructionCosts held(ports_.size(), 0);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        held[i] = std::max<std::int64_t>(0, ports_[i] - context_.shape.issue_slot.lo);
        if (chain.moves) held[i] = std::max(held[i], others[i]);
    }
    return held;
}

BoundTerm RoundRobinDelay::held_by(const RotationPath& chain, std::int64_t warps) const {
    const std::string text = "ports that a warp takes beyond its slots";
    return term(text, warps, {upper("-residual-occupancy") + anywhere(chain), text}, held(chain));
}

std::vector<BoundTerm> RoundRobinDelay::rounds(const RotationPath& chain,
                                               std::int64_t round) const {
    const std::int64_t slot = context_.shape.issue_slot.hi;
    if (context_.request.proofs == nullptr)
        return {{"issue slots of the warps of a scheduler, one of each in a round",
                 (Cycles{chain.rounds} * chain.places + Cycles{chain.places - 1}).count(), slot},
                {"wait of a round for a warp", chain.rounds, round - turns_of(chain).count()}};
    const std::int64_t more = (Cycles{turns_} * chain.blocks - Cycles{chain.rounds}).count();
    return {
        term("rounds of a warp's turns, each with a turn of every other one and the wait for it",
             chain.blocks,
             {upper(fmt::format("-rotations-of-{}", round)),
              fmt::format("{} cycles for each instruction of a warp", round)},
             per_instruction(context_, [&](auto, const auto&) { return round; })),
        {"turns before the first one of the critical chain, less the rounds that it does not "
         "pass whole",
         1, (Cycles{slot} * (chain.places - 1) - Cycles{round} * more).count()}};
}

std::vector<BoundTerm> RoundRobinDelay::by_rounds(const RotationPath& chain,
                                                  std::int64_t round) const {
    const models::Interval& slot = context_.shape.issue_slot;
    const std::int64_t refill = context_.shape.refill.hi;
    const auto beyond = [&](std::int64_t wait) { return std::max<std::int64_t>(0, wait - round); };
    InstructionCosts both = held(chain);
    for (std::size_t i = 0; i < both.size(); ++i)
        both[i] = models::plus(both[i], beyond(waits_[i]));
    std::vector<BoundTerm> terms = rounds(chain, round);
    terms.push_back({"time from the last EXIT to completion", 1, completion_});
    const bool wait_longer = turns_of(chain) < Cycles{round};
    terms.push_back(term(
        wait_longer ? "rounds that wait longer for a warp, and ports that it takes beyond its slots"
                    : "rounds that wait for a warp, and ports that it takes beyond its slots",
        chain.warps,
        {upper(fmt::format("-stalls-beyond-{}", round)) + anywhere(chain),
         fmt::format("waits for a warp beyond {} cycles, and ports beyond slots", round)},
        both));
    if (chain.further_warps > 0) terms.push_back(held_by(chain, chain.further_warps));
    terms.push_back(
        {"wait of a round for a block that starts", chain.starts_in_turn, beyond(refill)});
    // Who comes back is waited for, and its turns come beside those of a round.
    const std::int64_t of_block = context_.shape.on_one_scheduler(context_.shape.warps_per_block);
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
    add_other_ports(chain, terms);
    return terms;
}

std::vector<BoundTerm> RoundRobinDelay::by_rounds(const std::vector<RotationPath>& chains) const {
    Cycles shortest{0};
    for (const RotationPath& chain : chains)
        shortest = std::max(shortest, turns_of(chain));
    std::vector<std::int64_t> levels = waits_;
    levels.push_back(shortest.count());
    levels.push_back(context_.shape.refill.hi);
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    levels.erase(levels.begin(), std::find(levels.begin(), levels.end(), shortest.count()));
    const auto sum = [&](std::size_t level) {
        return slowest(chains,
                       [&](const RotationPath& chain) { return by_rounds(chain, levels[level]); });
    };
    // The largest sum of the chains is convex in what every round takes.
    std::size_t first = 0;
    std::size_t last = levels.size() - 1;
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (sum_of(sum(middle)) <= sum_of(sum(middle + 1)))
            last = middle;
        else
            first = middle + 1;
    }
    return sum(first);
}

std::vector<BoundTerm> RoundRobinDelay::by_warps(const RotationPath& chain) const {
    const std::int64_t slot = context_.shape.issue_slot.hi;
    const std::int64_t cut = chain.blocks > 1 ? 1 : 0;
    // Of blocks with one warp the chain's own starts are among those of the scheduler.
    const std::int64_t starts =
        chain.starts_in_turn > 0 ? chain.starts_in_turn : chain.starts + chain.blocks - 1;
    const std::string alone = upper(in_isolation);
    std::vector<BoundTerm> terms{
        {"one warp alone, in each block of the critical chain", chain.blocks, alone_, alone},
        term("issue slots of another warp of the scheduler, one before each turn",
             models::times(chain.blocks, chain.places - 1),
             {upper("-issue-slots"), "issue slots of a warp"},
             per_instruction(context_, [&](auto, const auto&) { return slot; })),
        {"issue slots that run when the critical chain comes to a warp", chain.returns + cut, slot},
        {"waits of another warp whose turn it is", chain.holders, alone_, alone},
        {"replacement and start of a block", starts, context_.shape.refill.hi},
        held_by(chain, models::plus(chain.warps, chain.further_warps))};
    add_other_ports(chain, terms);
    return terms;
}

std::vector<BoundTerm> RoundRobinDelay::terms(const std::vector<RotationPath>& chains) const {
    std::vector<BoundTerm> warps =
        slowest(chains, [&](const RotationPath& chain) { return by_warps(chain); });
    // A round may wait for the loads of several warps, each of which waits at caches (S29a).
    if (context_.caches) return warps;
    std::vector<BoundTerm> rounds = by_rounds(chains);
    return sum_of(warps) < sum_of(rounds) ? warps : rounds;
}

void RoundRobinDelay::add_other_ports(const RotationPath& chain,
                                      std::vector<BoundTerm>& terms) const {
    terms.push_back(beside(chain));
    if (chain.jumps)
        terms.push_back({"an instruction issued before the chain went over to another block", 1,
                         *std::max_element(ports_.begin(), ports_.end())});
}

BoundTerm RoundRobinDelay::beside(const RotationPath& chain) const {
    const std::string text =
        "ports of the multiprocessor that a warp takes from those of other schedulers";
    return term(text, chain.warps_beside, {upper("-demand-other-schedulers"), text},
                cost_to_other_schedulers(context_));
}

} // namespace warpbound::analyzer

#include "analyzer/strict_turns.hpp"

#include "analyzer/common_barriers.hpp"
#include "analyzer/decided_schedules.hpp"
#include "analyzer/one_warp.hpp"
#include "analyzer/warp_work.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr const char* in_turn = "all warps of a scheduler, in turn";

std::int64_t most_on_a_path(const Problem& problem, const InstructionCosts& costs) {
    return extreme_sum(problem, block_costs(problem, costs), Side::Upper);
}

/// What the warps of one scheduler take, if no other scheduler makes them wait.
class Rounds {
public:
    Rounds(const Problem& problem, const SidePair& rules, std::int64_t warps)
        : warps_{warps}, slot_{problem.shape.issue_slot.hi} {
        const std::int64_t least_slot = problem.shape.issue_slot.lo;
        const LongestWaits waits = longest_waits(*problem.request.graph, rules.lower, rules.upper,
                                                 problem.facts.never, problem.timings.size());
        completion_ = waits.completion;
        const std::int64_t round = (models::Cycles{slot_} * warps).count();
        const InstructionCosts ports = port_times(problem);
        InstructionCosts one(ports.size(), 1);
        InstructionCosts stalls(ports.size(), 0);
        InstructionCosts held(ports.size(), 0);
        InstructionCosts both(ports.size(), 0);
        for (std::size_t i = 0; i < ports.size(); ++i) {
            stalls[i] = std::max<std::int64_t>(0, waits.instructions[i] - round);
            held[i] = std::max<std::int64_t>(0, ports[i] - least_slot);
            both[i] = (models::Cycles{stalls[i]} + models::Cycles{held[i]}).count();
            if (problem.used[i]) longest_stall_ = std::max(longest_stall_, stalls[i]);
        }
        choices_ = most_on_a_path(problem, one);
        held_ = most_on_a_path(problem, held);
        stalls_and_held_ = most_on_a_path(problem, both);
    }

    [[nodiscard]] std::vector<BoundTerm> terms() const {
        std::vector<BoundTerm> terms{
            {"issue slots of the warps of a scheduler, one of each in a round",
             (models::Cycles{choices_} * warps_).count() - 1, slot_},
            {"time from the last EXIT to completion", 1, completion_}};
        // Either every warp has its own rounds in which it keeps the others waiting, or every round
        // waits as long as any can.
        const std::vector<BoundTerm> by_warp{
            {"rounds that wait for a warp, and ports that it takes beyond its slots", warps_,
             stalls_and_held_}};
        const std::vector<BoundTerm> by_round{
            {"longest wait of a round for a warp", choices_, longest_stall_},
            {"ports that a warp takes beyond its slots", warps_, held_}};
        for (const BoundTerm& term : sum_of(by_round) < sum_of(by_warp) ? by_round : by_warp)
            if (term.count > 0 && term.cycles > 0) terms.push_back(term);
        return terms;
    }

private:
    std::int64_t warps_;
    std::int64_t slot_;
    std::int64_t choices_ = 0; ///< Of a warp.
    std::int64_t longest_stall_ = 0;
    std::int64_t held_ = 0;            ///< Of a warp.
    std::int64_t stalls_and_held_ = 0; ///< Of a warp.
    std::int64_t completion_ = 0;
};

/// Of a scheduler with so many warps, and what it waits for those of the others.
std::vector<BoundTerm> terms_of_scheduler(const Problem& problem, const SidePair& rules,
                                          const LaunchShape& shape, std::int64_t warps) {
    std::vector<BoundTerm> terms;
    const auto decided = time_in_turn(problem, warps, Side::Upper);
    if (decided)
        terms.push_back({in_turn, 1, decided->count()});
    else
        terms = Rounds{problem, rules, warps}.terms();
    const auto add = [&](const char* text, std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms.push_back({text, count, cycles});
    };
    add("ports of the multiprocessor that a warp takes from those of other schedulers",
        shape.warps() - warps, most_on_a_path(problem, cost_to_other_schedulers(problem)));
    add("drains of the stores of a warp", shape.warps(),
        most_on_a_path(problem, drain_costs(problem, Side::Upper)));
    return terms;
}

} // namespace

std::string not_bounded_in_turn(const Request& request, const LaunchShape& shape) {
    if (request.proofs != nullptr) return "path lemmas of it are not kept in this version";
    if (!request.facts->divergents.empty())
        return "lanes that part are bounded under work-conserving policies only in this version";
    if (shape.waves() > 1)
        return "this version bounds it where all blocks of a launch are resident together";
    return {};
}

Result<SideAnswer> bound_turns_from_above(const Problem& problem, Deadline deadline) {
    const LaunchShape shape =
        problem.shape.multiprocessors == 1 ? problem.shape : problem.shape.fullest();
    if (const auto* barrier = meeting_barrier(problem))
        return Failure{"policy srr is order-forced; barriers of a block of several warps are not "
                       "bounded under it in this version",
                       problem.request.function->name, barrier->position.line,
                       barrier->position.column};
    // The write buffer counts on its own: here it never delays.
    const SidePair rules = rules_of(problem, 1, {0, 0, 0});
    auto alone = bound_one_warp(problem, rules, Side::Upper, deadline, Facts::LoopBounds);
    if (!alone) return alone.as_failure();
    SideAnswer answer = std::move(alone).value();
    SideResult& execution = answer.execution;
    execution.terms.clear();
    // On a scheduler with one warp less the others have one more.
    const std::int64_t most = shape.on_one_scheduler(shape.warps());
    const std::int64_t least = std::max<std::int64_t>(1, shape.warps() / shape.schedulers);
    for (std::int64_t warps = least; warps <= most; ++warps) {
        auto terms = terms_of_scheduler(problem, rules, shape, warps);
        if (sum_of(execution.terms) < sum_of(terms)) execution.terms = std::move(terms);
    }
    const bool decided = execution.terms.size() == 1;
    execution.proof = decided ? Proof::DecidedSchedule : Proof::ResponseTime;
    if (decided) execution.outcome = Outcome::Optimal;
    execution.proved = sum_of(execution.terms);
    execution.best_found.reset();
    return answer;
}

SideAnswer bound_turns_from_below(const Problem& problem, SideAnswer answer) {
    const LaunchShape& shape = problem.shape;
    const auto decided = time_in_turn(
        problem, shape.on_one_scheduler(shape.share() * shape.warps_per_block), Side::Lower);
    if (!decided || *decided <= answer.execution.proved) return answer;
    SideResult& execution = answer.execution;
    execution.terms = {{in_turn, 1, decided->count()}};
    execution.proved = *decided;
    execution.proof = Proof::DecidedSchedule;
    execution.outcome = Outcome::Optimal;
    execution.best_found.reset();
    return answer;
}

} // namespace warpbound::analyzer

#include "analyzer/policies/strict_round_robin/strict_round_robin.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/policies/exact/schedule_simulation.hpp"
#include "analyzer/policies/single_warp.hpp"
#include "analyzer/policies/strict_round_robin/rotation_terms.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr const char* in_turn = "all warps of a scheduler, in turn";

struct TurnBound {
    std::vector<BoundTerm> terms;
    bool decided = false; ///< The first term is the one schedule that there is.
};

/// Of a scheduler with so many warps that stay in turn until they end.
RotationPath chain_of_scheduler(const LaunchGeometry& shape, std::int64_t turns,
                                std::int64_t warps) {
    RotationPath chain;
    chain.places = chain.warps = warps;
    chain.warps_beside = shape.warps() - warps;
    chain.rounds = turns - 1;
    chain.holders = warps - 1;
    return chain;
}

/// What it takes, and waits for warps of the others.
TurnBound terms_of_scheduler(const AnalysisContext& context, const RoundRobinDelay& times,
                             const RotationPath& chain) {
    // What waits at caches is not part of the one schedule.
    const auto decided =
        context.caches ? std::nullopt : time_in_turn(context, chain.warps, Side::Upper);
    if (!decided) return {times.terms({chain})};
    return {{{in_turn, 1, decided->count()}, times.beside(chain)}, true};
}

/// Blocks that began before the last one was handed out, on a multiprocessor with the fewest.
std::int64_t begun_before_the_last(const LaunchGeometry& shape) {
    return (shape.blocks - 1) / shape.multiprocessors;
}

/// Through blocks that follow each other in one place, and from barrier to barrier (S25a).
RotationPath chain_of_blocks(const LaunchGeometry& shape, std::int64_t turns,
                             std::int64_t barriers) {
    using models::Cycles;
    const std::int64_t waves = shape.waves();
    const std::int64_t per_block = shape.warps_per_block;
    const std::int64_t resident = shape.resident * per_block;
    const std::int64_t before = begun_before_the_last(shape);
    RotationPath chain;
    chain.places = shape.on_one_scheduler(resident);
    chain.moves = chain.places < resident;
    chain.jumps = waves > 1;
    chain.blocks = waves;
    if (per_block == 1) {
        const std::int64_t begun = before * chain.places / shape.resident;
        chain.rounds = (Cycles{turns} * waves - Cycles{1}).count();
        chain.starts_in_turn = begun + 1;
        chain.warps = begun + chain.places;
        chain.holders = chain.warps - waves;
        chain.warps_beside = chain.moves ? before + shape.resident - chain.warps : 0;
        return chain;
    }
    const bool is_one = shape.multiprocessors == 1;
    const std::int64_t cut = shape.slots() > 1 ? 1 : 0;
    // Of one multiprocessor nothing of a block counts twice, but that the chain may pass a block
    // once more behind the start of the last one.
    const std::int64_t seen = waves == 1 || is_one ? shape.blocks : before + shape.resident;
    chain.rounds = (Cycles{turns - 1 - barriers} * waves).count();
    chain.returns = (Cycles{barriers} * waves + Cycles{waves - 1}).count();
    chain.openings = (Cycles{barriers} * (seen - waves + (waves > 1 && is_one ? cut : 0))).count();
    chain.starts = waves == 1 ? 0 : before - shape.resident - waves + 2 + cut;
    // Every part between barriers sees warps of one scheduler only: of the chain's block other
    // parts of their work each, of further blocks perhaps all of it.
    const std::int64_t on_one = shape.on_one_scheduler(per_block);
    const std::int64_t all = seen * per_block;
    chain.warps = chain.holders = all;
    const auto in_parts = [&](std::int64_t warps) {
        return models::Cycles{warps} * (barriers + 1) < models::Cycles{per_block}
                   ? warps * (barriers + 1)
                   : per_block;
    };
    if (waves == 1) {
        chain.warps = on_one + (seen - 1) * in_parts(on_one);
        chain.holders = in_parts(on_one - 1) + (seen - 1) * in_parts(on_one);
    } else if (cut == 0) {
        chain.warps = waves * on_one;
    }
    chain.further_warps = all - chain.warps;
    chain.jumps = chain.jumps && !is_one;
    return chain;
}

std::vector<BoundTerm> terms_of_drains(const AnalysisContext& context,
                                       const LaunchGeometry& shape) {
    const InstructionCosts costs = drain_costs(context, Side::Upper);
    const CertificateName certificate{"execution-time-upper-drain",
                                      "drains of the stores of a warp"};
    const models::Cycles drain{certified_most(context, certificate, costs)};
    // The chain goes over to another multiprocessor, in whose buffer stores are left.
    const models::Cycles left =
        models::Cycles{*std::max_element(costs.begin(), costs.end())} * context.buffer_entries.hi;
    const std::int64_t seen =
        (begun_before_the_last(shape) + shape.resident) * shape.warps_per_block;
    const bool in_parts = shape.waves() > 1 && shape.multiprocessors > 1 &&
                          drain * seen + left < drain * shape.warps();
    std::vector<BoundTerm> terms{
        {certificate.text, in_parts ? seen : shape.warps(), drain.count(), certificate.id}};
    if (in_parts)
        terms.push_back({"drains of the entries that are in a write buffer when the last block "
                         "starts",
                         1, left.count()});
    return terms;
}

} // namespace

Result<SideAnswer> bound_strict_round_robin_from_above(const AnalysisContext& context,
                                                       Deadline deadline) {
    std::int64_t barriers = 0;
    if (context.shape.warps_per_block > 1) {
        const auto common = aligned_barriers(context);
        if (!common) return common.as_failure();
        barriers = common.value();
    }
    // The write buffer counts on its own: here it never delays.
    const PipelinePair rules = pipelines_of(context, 1, {0, 0, 0});
    auto alone =
        bound_single_warp(context, rules, Side::Upper, deadline, Facts::LoopBounds, in_isolation);
    if (!alone) return alone.as_failure();
    SideAnswer answer = std::move(alone).value();
    SideResult& execution = answer.execution;
    const RoundRobinDelay times{context, rules, execution.proved};
    const LaunchGeometry shape =
        context.shape.waves() == 1 ? context.shape.fullest() : context.shape;
    std::vector<RotationPath> chains;
    if (shape.waves() > 1 || barriers > 0) {
        chains.push_back(chain_of_blocks(shape, times.turns(), barriers));
    } else {
        // On a scheduler with one warp less the others have one more.
        const std::int64_t most = shape.on_one_scheduler(shape.warps());
        const std::int64_t least = std::max<std::int64_t>(1, shape.warps() / shape.schedulers);
        for (std::int64_t warps = least; warps <= most; ++warps)
            chains.push_back(chain_of_scheduler(shape, times.turns(), warps));
    }
    TurnBound bound;
    if (shape.waves() > 1 || barriers > 0 || context.request.proofs != nullptr) {
        bound.terms = times.terms(chains);
    } else {
        for (const RotationPath& chain : chains) {
            TurnBound one = terms_of_scheduler(context, times, chain);
            if (sum_of(bound.terms) < sum_of(one.terms)) bound = std::move(one);
        }
    }
    for (BoundTerm& term : terms_of_drains(context, shape))
        bound.terms.push_back(std::move(term));
    keep_counted_certificates(context, bound.terms);
    std::erase_if(bound.terms,
                  [](const BoundTerm& term) { return term.count == 0 || term.cycles == 0; });
    const bool decided = bound.decided && bound.terms.size() == 1;
    execution.proof = decided ? Proof::ScheduleExploration : Proof::ResponseTime;
    if (decided) execution.outcome = Outcome::Optimal;
    execution.terms = std::move(bound.terms);
    execution.proved = sum_of(execution.terms);
    execution.best_found.reset();
    return answer;
}

SideAnswer bound_strict_round_robin_from_below(const AnalysisContext& context, SideAnswer answer) {
    const LaunchGeometry& shape = context.shape;
    if (shape.waves() > 1) return answer;
    const auto decided = time_in_turn(
        context, shape.on_one_scheduler(shape.share() * shape.warps_per_block), Side::Lower);
    if (!decided || *decided <= answer.execution.proved) return answer;
    SideResult& execution = answer.execution;
    execution.terms = {{in_turn, 1, decided->count()}};
    execution.proved = *decided;
    execution.proof = Proof::ScheduleExploration;
    execution.outcome = Outcome::Optimal;
    execution.best_found.reset();
    return answer;
}

} // namespace warpbound::analyzer

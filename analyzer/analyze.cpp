#include "analyzer/analyze.hpp"

#include "analyzer/assumptions.hpp"
#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/host/end_to_end.hpp"
#include "analyzer/memory/bandwidth_bound.hpp"
#include "analyzer/memory/queueing_certificates.hpp"
#include "analyzer/memory/queueing_delay.hpp"
#include "analyzer/microarchitecture/clock_region.hpp"
#include "analyzer/path/ilp_solver.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "analyzer/policies/single_warp.hpp"
#include "analyzer/policies/strict_round_robin/strict_round_robin.hpp"
#include "analyzer/policies/time_division/certified_terms.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"
#include "analyzer/policies/time_division/time_division.hpp"
#include "analyzer/policies/work_conserving.hpp"
#include "analyzer/preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace warpbound::analyzer {

namespace {

/// From the issue of the first clock read to that of the last, by loop bounds alone. Absolute times
/// are forgotten at the first read; only what is outstanding then counts.
std::optional<models::Cycles> region_cost(const AnalysisContext& context, const PipelinePair& rules,
                                          const ClockRegion& region, Side side) {
    const auto& graph = *context.request.graph;
    const Outstanding before = outstanding(graph, rules.lower, rules.upper, context.facts.never,
                                           whole_run(graph, rules.upper), rules.start());
    const auto& entry = before.entries[region.first_block];
    if (!entry) return std::nullopt;
    const StateInterval behind_first =
        behind(graph, rules.lower, rules.upper, *entry, region.first_block, region.first);
    const Span lower = span_of(graph, rules.lower, region, behind_first.lower);
    const Span upper = span_of(graph, rules.upper, region, behind_first.upper);
    const std::vector<bool> never = outside(graph, context.facts.never, region);
    const auto paths = [&](std::optional<std::size_t> nodes) {
        return path_graph_of(context, rules, side, never, side == Side::Lower ? lower : upper,
                             {lower.state, upper.state}, nodes);
    };
    PathSolution solved;
    solved.witness =
        LoopBoundedPaths{graph, paths(std::nullopt), context.facts.loops, side}.start_to_end();
    if (!solved.witness) return std::nullopt;
    solved.bound = solved.witness->cost;
    record(
        context,
        side == Side::Upper
            ? CertificateName{"measured-time-upper", "time from the first clock read to the last"}
            : CertificateName{"measured-time-lower", "time from the first clock read to the last"},
        side, Facts::LoopBounds, solved, paths);
    if (context.request.proofs != nullptr)
        context.request.proofs->certificates.back().between = {region.first_block,
                                                               region.last_block};
    return models::Cycles{solved.bound};
}

/// The measured time adds the latency of the last read and takes away that of the first (C3).
std::optional<Envelope> measured_envelope(const AnalysisContext& context, const PipelinePair& rules,
                                          const ClockRegion& region) {
    const auto lower = region_cost(context, rules, region, Side::Lower);
    const auto upper = region_cost(context, rules, region, Side::Upper);
    if (!lower || !upper) return std::nullopt;
    const auto& first = context.timings[region.first].value().latency;
    const auto& last = context.timings[region.last].value().latency;
    Envelope envelope;
    envelope.lower.proved = *lower + models::Cycles{last.lo} - models::Cycles{first.hi};
    envelope.upper.proved = *upper + models::Cycles{last.hi} - models::Cycles{first.lo};
    return envelope;
}

/// In which no access waits for another.
Result<SideAnswer> bound_without_waits(const AnalysisContext& context) {
    if (context.shape.warps() == 1) {
        const std::int64_t fewest =
            std::min(context.buffer_entries.lo, PipelineModel::tracked_entries);
        return bound_single_warp(context, pipelines_of(context, fewest, context.buffer_drain),
                                 Side::Upper, context.deadline);
    }
    if (!conserves_work(context.request, context.shape)) {
        const auto guarantee = models::guarantee_of(context.request.policy);
        if (guarantee == models::PolicyGuarantee::OrderForced)
            return bound_strict_round_robin_from_above(context, context.deadline);
        if (guarantee == models::PolicyGuarantee::Slotted)
            return context.request.proofs == nullptr
                       ? bound_time_division_from_above(context, context.deadline)
                       : certify_time_division_from_above(context, context.deadline);
    }
    return bound_work_conserving_from_above(context, context.deadline);
}

/// Adds what accesses through the caches wait for.
void add_waits(SideResult& upper, std::vector<BoundTerm> waits) {
    if (upper.terms.empty())
        upper.terms.push_back({"one warp alone, none of whose accesses waits for another", 1,
                               upper.proved.count(), "execution-time-upper"});
    for (BoundTerm& term : waits)
        upper.terms.push_back(std::move(term));
    upper.proved = sum_of(upper.terms);
    upper.proof = Proof::ResponseTime;
    upper.best_found.reset();
}

Result<SideAnswer> bound_from_above(const AnalysisContext& context) {
    if (!context.caches) return bound_without_waits(context);
    if (context.request.proofs != nullptr) {
        auto upper = bound_without_waits(context);
        if (!upper) return upper;
        SideResult& execution = upper.value().execution;
        add_waits(execution, certify_queueing_delay(context, execution.proved));
        return upper;
    }
    std::optional<SideAnswer> best;
    for (const QueueingRules rules : queueing_rules(context)) {
        auto upper = bound_without_waits(without_queueing(context, rules));
        if (!upper) return upper;
        SideResult& execution = upper.value().execution;
        add_waits(execution, queueing_delay(context, rules, execution.proved));
        if (!best || execution.proved < best->execution.proved) best = std::move(upper).value();
    }
    return std::move(*best);
}

/// Takes the throughput of caches, links or DRAM where it says more; no evidence is kept of it.
void apply_throughput(const AnalysisContext& context, SideResult& lower) {
    if (context.caches && context.request.proofs == nullptr)
        for (auto& way : bandwidth_bounds(context)) {
            const models::Cycles sum = sum_of(way);
            if (sum <= lower.proved) continue;
            lower.proved = sum;
            lower.proof = Proof::ResponseTime;
            lower.terms = std::move(way);
        }
}

/// Of several ways to a lower bound only the best one is claimed: the lemmas of the others go.
void keep_used(const Analysis& analysis, std::vector<PathCertificate>& certificates) {
    const auto& terms = analysis.execution_time.lower.terms;
    const auto unused = [&](const PathCertificate& certificate) {
        if (certificate.between) return !analysis.measured_time.has_value();
        return certificate.side == Side::Lower && !terms.empty() &&
               std::none_of(terms.begin(), terms.end(), [&](const BoundTerm& term) {
                   return term.certificate == certificate.id;
               });
    };
    certificates.erase(std::remove_if(certificates.begin(), certificates.end(), unused),
                       certificates.end());
}

/// `below` and `above`: the problems whose paths the sides bound.
Result<Analysis> solve(const AnalysisContext& context, const AnalysisContext& below,
                       const AnalysisContext& above) {
    const Request& request = context.request;
    Analysis analysis;
    // The lower side gets half of the time, the upper side what is left.
    Deadline half;
    if (context.deadline) {
        const auto now = std::chrono::steady_clock::now();
        half = now + (*context.deadline - now) / 2;
    }
    // A larger write buffer waits less.
    const models::Interval& entries = context.buffer_entries;
    const std::int64_t fewest = std::min(entries.lo, PipelineModel::tracked_entries);
    const PipelinePair largest_below = pipelines_of(below, entries.hi, below.buffer_drain);
    const PipelinePair smallest_above = pipelines_of(above, fewest, above.buffer_drain);
    const bool alone = context.shape.warps() == 1;
    const models::PolicyGuarantee guarantee = models::guarantee_of(request.policy);
    auto lower = bound_single_warp(below, largest_below, Side::Lower, half);
    if (!lower) return lower.as_failure();
    if (!alone) {
        lower = bound_work_conserving_from_below(below, largest_below, std::move(lower).value());
        // Stepped turns are no path.
        if (lower && guarantee == models::PolicyGuarantee::OrderForced &&
            request.proofs == nullptr && !conserves_work(request, below.shape))
            lower = bound_strict_round_robin_from_below(below, std::move(lower).value());
        if (lower && guarantee == models::PolicyGuarantee::Slotted)
            lower = request.proofs == nullptr
                        ? bound_time_division_from_below(below, std::move(lower).value(), half)
                        : own_delay_from_below(below, std::move(lower).value(), half);
        if (!lower) return lower.as_failure();
    }
    apply_throughput(below, lower.value().execution);
    const auto upper = bound_from_above(above);
    if (!upper) return upper.as_failure();
    if (context.caches) lower.value().execution.best_found.reset();
    analysis.execution_time = {lower.value().execution, upper.value().execution};

    const RegionSearch search =
        find_clock_region(*request.function, *request.graph, context.facts.never);
    analysis.measured_time_absent = search.absent;
    if (search.region && !request.facts->divergents.empty())
        analysis.measured_time_absent =
            "the measured time of a warp is bounded only where its lanes stay together";
    else if (search.region && !alone)
        analysis.measured_time_absent =
            "the measured time of a warp is bounded only where it runs alone";
    else if (search.region && context.caches)
        analysis.measured_time_absent =
            "the measured time is not bounded where accesses go through the caches";
    else if (search.region && entries.is_exact() && entries.hi == fewest)
        analysis.measured_time = measured_envelope(context, smallest_above, *search.region);
    else if (search.region)
        analysis.measured_time_absent = "the size of the write buffer is not one small number";
    if (request.proofs != nullptr) {
        keep_used(analysis, request.proofs->certificates);
        analysis.sums_of_certificates = context.caches ||
                                        (guarantee == models::PolicyGuarantee::Slotted && !alone) ||
                                        (guarantee == models::PolicyGuarantee::OrderForced &&
                                         !conserves_work(request, context.shape));
    }
    analysis.assumptions = assumptions_of(context, upper.value().in_turns);
    analysis.state_nodes = lower.value().nodes + upper.value().nodes;
    if (lower.value().solver_used || upper.value().solver_used) analysis.solver = solver_version();
    return analysis;
}

/// A warp whose lanes may part: from below it issues at least the path of each of its lanes, from
/// above the ways of a branch follow each other (S19d).
Result<Analysis> solve_parting(const AnalysisContext& context) {
    const Request& request = context.request;
    const auto lanes = lanes_in_turn(context);
    if (!lanes) return lanes.as_failure();
    const Request serial = in_turn(request, lanes.value());
    const AnalysisContext above = in_turn(context, serial, lanes.value());
    if (request.proofs != nullptr)
        request.proofs->in_turn = SerializedPaths{lanes.value(), above.facts.loops};
    auto analysis = solve(context, single_lane_context(context), above);
    if (analysis) map_to_original_blocks(analysis.value().execution_time.upper, lanes.value());
    return analysis;
}

Result<Analysis> solve(const Request& request) {
    auto prepared = prepare(request);
    if (!prepared) return prepared.as_failure();
    if (!request.facts->divergents.empty()) return solve_parting(prepared.value());
    return solve(prepared.value(), prepared.value(), prepared.value());
}

} // namespace

Result<Analysis> analyze(const Request& request) {
    try {
        auto analysis = solve(request);
        if (!analysis || !request.host) return analysis;
        auto all = bound_end_to_end(request, analysis.value().execution_time);
        if (!all) return all.as_failure();
        analysis.value().end_to_end = std::move(all.value().envelope);
        auto& host = analysis.value().host_assumptions;
        for (auto& text : all.value().assumptions)
            host.push_back(
                {fmt::format("A{}", analysis.value().assumptions.size() + host.size() + 1),
                 std::move(text)});
        return analysis;
    } catch (const std::overflow_error&) {
        // The flow facts allow more cycles than can be counted: the input is refused, no number
        // wraps around.
        return Failure{fmt::format("the time of {} under these flow facts exceeds 2^63 cycles",
                                   request.function->name),
                       request.facts->name};
    }
}

} // namespace warpbound::analyzer

#include "analyzer/analyze.hpp"

#include "analyzer/assumptions.hpp"
#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
#include "analyzer/evidence/operand_delay.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/host/end_to_end.hpp"
#include "analyzer/interference/fetch_delay.hpp"
#include "analyzer/launch/representative_paths.hpp"
#include "analyzer/memory/atomic_delay.hpp"
#include "analyzer/memory/bandwidth_bound.hpp"
#include "analyzer/memory/queueing_certificates.hpp"
#include "analyzer/memory/queueing_delay.hpp"
#include "analyzer/path/ilp_solver.hpp"
#include "analyzer/policies/measured_time.hpp"
#include "analyzer/policies/policy.hpp"
#include "analyzer/preparation.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/kernel/counters.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// Divergence. The contexts whose paths bound the two sides: one and the same where the warp is
/// uniform, else the path of one thread from below and the serialized control-flow graph from
/// above (docs/soundness.md, S19d).
struct Sides {
    AnalysisContext lower;
    AnalysisContext upper;
    /// What `upper` refers to where the warp may diverge.
    std::unique_ptr<const SerializedCfg> cfg;
    std::unique_ptr<const Request> request;
    /// What `lower` refers to where threads represent their warps.
    std::unique_ptr<const RepresentativePaths> representatives{};
};

/// What the user can state where divergence is assumed and not bounded.
Failure with_advice(Failure refusal) {
    refusal.what += "; where the lanes of a warp always agree, state <uniform at=\"ADDRESS OF THE "
                    "BRANCH\"/> in the flow facts";
    return refusal;
}

Result<Sides> serialize_divergence(const AnalysisContext& context) {
    auto representatives = representative_paths(context);
    const AnalysisContext lower =
        representatives ? representative_context(context, *representatives) : context;
    if (!has_divergent_branch(*context.request.function, *context.request.facts))
        return Sides{lower, context, nullptr, nullptr, std::move(representatives)};
    auto serialized = serialized_cfg(context);
    if (!serialized) return with_advice(serialized.error());
    auto cfg = std::make_unique<const SerializedCfg>(std::move(serialized).value());
    auto request = std::make_unique<const Request>(serialized_request(context.request, *cfg));
    AnalysisContext upper = serialized_context(context, *request, *cfg);
    if (request->certificates != nullptr)
        request->certificates->serialized = SerializedPaths{*cfg, upper.facts.loops};
    return Sides{single_lane_context(lower), std::move(upper), std::move(cfg), std::move(request),
                 std::move(representatives)};
}

/// Refuses warps of whose scoreboards too much would be outstanding (C85).
Result<void> check_counters(const AnalysisContext& context) {
    const assembly::ControlFlowGraph& graph = *context.request.graph;
    std::vector<models::BlockOfCounters> blocks;
    for (const assembly::BasicBlock& block : graph.blocks) {
        blocks.push_back({block.first, block.last});
        for (const std::size_t edge : block.out)
            blocks.back().next.push_back(graph.edges[edge].to);
    }
    return models::check_counters(*context.request.function, *context.request.architecture, blocks);
}

/// The lower side gets half of the time, the upper side what is left.
Deadline half_of(const Deadline& deadline) {
    if (!deadline) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    return now + (*deadline - now) / 2;
}

/// Memory, from below: the bandwidth of caches, links or DRAM, where it demands more time than the
/// policy's bound. No certificate is kept of it.
void apply_bandwidth(const AnalysisContext& context, SideResult& lower) {
    if (!context.caches || context.request.certificates != nullptr) return;
    auto bounds = unless_stopped([&] { return bandwidth_bounds(context); });
    if (!bounds) return;
    for (auto& terms : *bounds) {
        const models::Cycles sum = sum_of(terms);
        if (sum <= lower.proved) continue;
        lower.proved = sum;
        lower.proof = Proof::ResponseTime;
        lower.terms = std::move(terms);
    }
}

/// Adds, from above, delays that the policy's bound does not contain. `alone`: what the bound of
/// one warp contains.
void add_delays(SideResult& upper, const char* alone, std::vector<BoundTerm> delays) {
    if (upper.terms.empty())
        upper.terms.push_back({alone, 1, upper.proved.count(), "execution-time-upper"});
    for (BoundTerm& term : delays)
        upper.terms.push_back(std::move(term));
    upper.proved = sum_of(upper.terms);
    upper.proof = Proof::ResponseTime;
    upper.best_found.reset();
}

/// Memory, from above: adds the queueing delay of accesses through the caches.
void add_queueing_delay(SideResult& upper, std::vector<BoundTerm> delays) {
    add_delays(upper, "one warp alone, none of whose accesses waits for another",
               std::move(delays));
}

/// No time is negative.
SideAnswer trivial_lower_bound() {
    SideAnswer answer;
    answer.execution.outcome = Outcome::LimitReached;
    answer.execution.proved = models::Cycles{0};
    return answer;
}

Result<SideAnswer> lower_bound(const AnalysisContext& context) {
    const auto bounded = [&] {
        return bound_by_policy_from_below(context, half_of(context.deadline));
    };
    // No certificate shows the trivial bound.
    if (context.request.certificates != nullptr) return bounded();
    constexpr double share = 0.5;
    auto found = unless_stopped(bounded, share);
    if (!found) return trivial_lower_bound();
    Result<SideAnswer> lower = std::move(*found);
    if (!lower) return lower;
    apply_bandwidth(context, lower.value().execution);
    // The best-case path has no queueing delay: what it costs says nothing about how tight the
    // bound is.
    if (context.has_queueing()) lower.value().execution.best_found.reset();
    return lower;
}

/// Policy, instruction fetch and constant operands, from above: the policy's bound, what the
/// instruction caches delay beyond gaps, and what misses of constants delay. What waits at the
/// caches of data counts on the sum: a longer run may have more refreshes.
Result<SideAnswer> bound_without_queueing(const AnalysisContext& context) {
    auto upper = bound_by_policy_from_above(context);
    if (!upper) return upper;
    if (context.instruction_lines) {
        auto delays = fetch_delay(context);
        if (!delays) return delays.as_failure();
        add_delays(upper.value().execution, "one warp alone, all of whose lines are present",
                   std::move(delays).value());
    }
    if (context.operand_lines) {
        auto delays = operand_delay(context);
        if (!delays) return delays.as_failure();
        if (!delays.value().empty())
            add_delays(upper.value().execution,
                       "one warp alone, all of whose constants are present",
                       std::move(delays).value());
    }
    return upper;
}

/// Without accesses through the caches: atomics alone may wait in memory.
Result<SideAnswer> upper_bound_without_caches(const AnalysisContext& context) {
    auto upper = bound_without_queueing(context);
    if (upper && context.atomics_wait)
        add_queueing_delay(upper.value().execution, atomic_delay(context));
    return upper;
}

/// With certificates there is one bound on the queueing delay, from what a reviewer can count
/// again; else the least of several.
Result<SideAnswer> upper_bound(const AnalysisContext& context) {
    if (!context.caches) return upper_bound_without_caches(context);
    if (context.request.certificates != nullptr) {
        auto upper = upper_bound_without_caches(context);
        if (!upper) return upper;
        SideResult& execution = upper.value().execution;
        add_queueing_delay(execution, certify_queueing_delay(context, execution.proved));
        return upper;
    }
    std::optional<SideAnswer> best;
    for (const QueueingRules rules : queueing_rules(context)) {
        const auto bounded = [&] {
            auto upper = upper_bound_without_caches(without_queueing(context, rules));
            if (!upper) return upper;
            SideResult& execution = upper.value().execution;
            add_queueing_delay(execution, queueing_delay(context, rules, execution.proved));
            return upper;
        };
        auto found = best ? unless_stopped(bounded, 1.0) : std::optional{bounded()};
        if (!found) break;
        Result<SideAnswer> upper = std::move(*found);
        if (!upper) return upper;
        const SideResult& execution = upper.value().execution;
        if (!best || execution.proved < best->execution.proved) best = std::move(upper).value();
    }
    return std::move(*best);
}

/// Host: copies and launch cost around the kernel.
Result<void> add_end_to_end(const Request& request, Analysis& analysis) {
    if (!request.host) return boost::outcome_v2::success();
    auto bound = bound_end_to_end(request, analysis.execution_time);
    if (!bound) return bound.as_failure();
    analysis.end_to_end = std::move(bound.value().envelope);
    auto& assumptions = analysis.host_assumptions;
    for (auto& text : bound.value().assumptions)
        assumptions.push_back(
            {fmt::format("A{}", analysis.assumptions.size() + assumptions.size() + 1),
             std::move(text)});
    return boost::outcome_v2::success();
}

/// The pipeline, in the order of the field.
Result<Analysis> bounds_of(const Request& request) {
    // Value and flow analysis: launch geometry, loop bounds, infeasible paths, timings, footprint.
    const auto context = prepare(request);
    if (!context) return context.as_failure();
    // Divergence: the paths that the warp's instructions can take.
    const auto sides = serialize_divergence(context.value());
    if (!sides) return sides.as_failure();
    if (auto fits = check_counters(sides.value().upper); !fits) return fits.as_failure();
    // Microarchitecture, path, interference, memory: the execution time under the policy.
    auto lower = lower_bound(sides.value().lower);
    if (!lower) return lower.as_failure();
    auto upper = upper_bound(sides.value().upper);
    if (!upper) return upper.as_failure();
    // The bounds, and what they rest on.
    Analysis analysis;
    analysis.execution_time = {std::move(lower.value().execution),
                               std::move(upper.value().execution)};
    MeasuredTime measured =
        unless_stopped([&] {
            return bound_measured_time(context.value());
        }).value_or(MeasuredTime{std::nullopt, "a limit stopped the analysis before it"});
    analysis.measured_time = std::move(measured.envelope);
    analysis.measured_time_absent = std::move(measured.absent);
    if (request.certificates != nullptr) {
        keep_claimed_certificates(*request.certificates, analysis.execution_time.lower.terms,
                                  analysis.measured_time.has_value());
        analysis.sums_of_certificates = certificates_may_be_looser(context.value());
    }
    if (sides.value().cfg)
        map_to_original_blocks(analysis.execution_time.upper, *sides.value().cfg);
    analysis.assumptions = assumptions_of(context.value(), upper.value().assumes_round_robin_order);
    analysis.state_nodes = lower.value().nodes + upper.value().nodes;
    if (lower.value().solver_used || upper.value().solver_used) analysis.solver = solver_version();
    if (auto host = add_end_to_end(request, analysis); !host) return host.as_failure();
    return analysis;
}

} // namespace

Result<Analysis> analyze(const Request& request) {
    try {
        return bounds_of(request);
    } catch (const std::overflow_error&) {
        // The flow facts allow more cycles than can be counted: the input is refused, no number
        // wraps around.
        return Failure{fmt::format("the time of {} under these flow facts exceeds 2^63 cycles",
                                   request.function->name),
                       request.facts->name};
    }
}

} // namespace warpbound::analyzer

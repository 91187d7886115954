#include "analyzer/analyze.hpp"

#include "analyzer/assumptions.hpp"
#include "analyzer/divergence/divergent_sides.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
#include "analyzer/evidence/operand_delay.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/host/end_to_end.hpp"
#include "analyzer/interference/certified_sums.hpp"
#include "analyzer/interference/fetch_delay.hpp"
#include "analyzer/memory/atomic_delay.hpp"
#include "analyzer/memory/bandwidth_bound.hpp"
#include "analyzer/memory/compulsory_traffic.hpp"
#include "analyzer/memory/queueing_certificates.hpp"
#include "analyzer/memory/queueing_delay.hpp"
#include "analyzer/memory/shared_traffic.hpp"
#include "analyzer/path/ilp_solver.hpp"
#include "analyzer/policies/measured_time.hpp"
#include "analyzer/policies/policy_table.hpp"
#include "analyzer/preparation.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/kernel/counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

/// Refuses warps of whose scoreboards too much would be outstanding (C85).
Result<void> check_counters(const TimedKernel& kernel) {
    const assembly::ControlFlowGraph& graph = *kernel.graph;
    std::vector<models::BlockOfCounters> blocks;
    for (const assembly::BasicBlock& block : graph.blocks) {
        blocks.push_back({block.first, block.last});
        for (const std::size_t edge : block.out)
            blocks.back().next.push_back(graph.edges[edge].to);
    }
    return models::check_counters(*kernel.function, *kernel.architecture, blocks);
}

/// The lower side gets half of the time, the upper side what is left.
Deadline half_of(const Deadline& deadline) {
    if (!deadline) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    return now + (*deadline - now) / 2;
}

/// Memory, from below: the bandwidth of caches, links or DRAM. `answer`: a bound, whose path is
/// kept. Evidence shows it by the addresses of all accesses, or by their numbers alone (S59).
void add_bandwidth(const TimedKernel& kernel, const LaunchGeometry& shape, const MemoryPath& memory,
                   Alternatives& all) {
    if (!memory.caches || all.empty()) return;
    const auto bounds = unless_stopped([&] { return bandwidth_bounds(kernel, shape, memory); });
    if (!bounds) return;
    for (const auto& terms : *bounds) {
        SideAnswer answer = all.front();
        BoundExpression sum;
        sum.text = terms.front().text;
        sum.terms = terms;
        sum.has_evidence = true;
        set_bound(answer.execution, std::move(sum));
        answer.execution.proof = Proof::ResponseTime;
        all.push_back(std::move(answer));
    }
}

/// Adds, from above, delays that the policy's bound does not contain. `alone`: what the bound of
/// one warp contains.
void add_delays(SideResult& upper, const char* alone, const std::vector<BoundTerm>& delays) {
    BoundExpression bound = std::move(upper.bound);
    if (upper.terms.empty()) bound.terms.front().text = alone;
    add_terms(bound, delays);
    set_bound(upper, std::move(bound));
    upper.proof = Proof::ResponseTime;
    upper.best_found.reset();
}

/// Memory, from above: adds the queueing delay of accesses through the caches. It may depend on the
/// bound that it is added to, so that no other sum of that bound is kept.
void add_queueing_delay(SideResult& upper, const std::vector<BoundTerm>& delays) {
    BoundExpression chosen = chosen_sum(upper.bound);
    upper.bound = std::move(chosen);
    add_delays(upper, "one warp alone, none of whose accesses waits for another", delays);
}

/// No time is negative.
SideAnswer trivial_lower_bound() {
    SideAnswer answer;
    answer.execution.outcome = Outcome::LimitReached;
    answer.execution.proved = models::Cycles{0};
    answer.execution.bound.has_evidence = false;
    return answer;
}

/// The alternatives of `work`; none where it is stopped, its cycles cannot be counted, or it
/// refuses. For alternatives beside one that holds.
template <typename Work>
Alternatives further(const Work& work, double share = share_of_refinement) {
    try {
        if (auto found = unless_stopped(work, share); found && *found)
            return std::move(*found).value();
    } catch (const std::overflow_error&) {
        return {};
    }
    return {};
}

/// Appends alternatives that only re-analysis shows.
void add_without_evidence(Alternatives& all, Alternatives further) {
    for (SideAnswer& one : further) {
        drop_evidence(one.execution.bound);
        all.push_back(std::move(one));
    }
}
/// Appends alternatives that have evidence; of the sums of each, the chosen one.
void add_with_evidence(Alternatives& all, Alternatives further) {
    for (SideAnswer& one : further) {
        BoundExpression chosen = chosen_sum(one.execution.bound);
        chosen.text = "by numbers of transactions, without addresses" +
                      (chosen.text.empty() ? "" : ": " + chosen.text);
        one.execution.bound = std::move(chosen);
        all.push_back(std::move(one));
    }
}

Result<SideAnswer> lower_bound(const AnalysisContext& context,
                               const std::optional<CompulsoryTraffic>& traffic) {
    const bool certifies = context.run.certificates != nullptr;
    const auto bounded = [&](const AnalysisContext& of, Wanted wanted) {
        return [&context, of, wanted] {
            return bounds_by_policy_from_below(of, half_of(context.run.deadline), wanted);
        };
    };
    constexpr double share = 0.5;
    const auto first = bounded(context, Wanted::All);
    auto found = certifies ? std::optional{first()} : unless_stopped(first, share);
    if (!found) return trivial_lower_bound(); // No certificate shows it.
    if (!*found) return found->as_failure();
    Alternatives all = std::move(*found).value();
    add_bandwidth(context.kernel, context.launch.shape, context.memory, all);
    if (traffic) add_compulsory_traffic(*traffic, all, certifies);
    SideAnswer lower = best_of(Side::Lower, std::move(all), certifies);
    lower.execution.by_addresses = context.memory.footprint.has_value();
    // The best-case path has no queueing delay: what it costs says nothing about how tight the
    // bound is.
    if (context.memory.has_queueing()) lower.execution.best_found.reset();
    return lower;
}

/// Compulsory traffic, where loads go through the caches (not those of simulated runs of stated
/// paths, which have no addresses) and the launch runs alone. Patterns say what accesses are
/// through the caches, and have bounds of their own.
std::optional<CompulsoryTraffic> traffic_by_addresses(const Request& request,
                                                      const AnalysisContext& context) {
    const bool goes_through_caches = request.follow_branches || request.loads_through_caches;
    if (!goes_through_caches || request.may_share_caches || context.memory.caches)
        return std::nullopt;
    return unless_stopped(
               [&] { return compulsory_traffic(context.kernel, context.launch.shape, request); })
        .value_or(std::nullopt);
}

/// Policy, instruction fetch, constant operands and atomics, from above: the policy's bound, what
/// the instruction caches delay beyond gaps, what misses of constants delay, and what atomics wait
/// for each other. What waits at the caches of data counts on the sum: a longer run may have more
/// refreshes.
Result<Alternatives> bounds_without_caches(const AnalysisContext& context, Wanted wanted) {
    auto all = bounds_by_policy_from_above(context, wanted);
    if (!all) return all;
    std::vector<BoundTerm> delays;
    const char* alone = "";
    const auto add = [&](const char* text, std::vector<BoundTerm> terms) {
        alone = text;
        for (BoundTerm& term : terms)
            delays.push_back(std::move(term));
    };
    bool adds = false;
    if (context.kernel.delivery.lines) {
        auto fetch = fetch_delay(context.kernel, context.launch);
        if (!fetch) return fetch.as_failure();
        add("one warp alone, all of whose lines are present", std::move(fetch).value());
        adds = true;
    }
    if (context.kernel.delivery.operands) {
        auto operands = operand_delay(context.kernel, context.launch, context.run);
        if (!operands) return operands.as_failure();
        if (!operands.value().empty()) {
            add(adds ? alone : "one warp alone, all of whose constants are present",
                std::move(operands).value());
            adds = true;
        }
    }
    if (context.memory.atomics_wait) {
        add(adds ? alone : "one warp alone, none of whose accesses waits for another",
            atomic_delay(context.kernel, context.launch, context.run));
        adds = true;
    }
    if (adds)
        for (SideAnswer& one : all.value())
            add_delays(one.execution, alone, delays);
    return all;
}

/// The same with the terms that `delays` gives for the bound without queueing delay.
template <typename Delays>
Result<Alternatives> bounds_with_queueing(const AnalysisContext& context, Wanted wanted,
                                          const std::string& text, const Delays& delays) {
    auto all = bounds_without_caches(context, wanted);
    if (!all) return all;
    for (SideAnswer& one : all.value()) {
        SideResult& execution = one.execution;
        add_queueing_delay(execution, delays(execution.proved));
        execution.bound.text += (execution.bound.text.empty() ? "" : "; ") + text;
    }
    return all;
}

/// Arguments on addresses; none: numbers of transactions alone.
using QueueingArgument = std::optional<QueueingRules>;

/// Of the bounds by addresses, those that evidence shows: in time slots and strict turns they are
/// not the tightest ones (S23, S28).
Wanted shown_by_addresses(const ScheduledLaunch& launch) {
    return launch.shape.has_one_warp() || conserves_work(launch) ||
                   launch.guarantee() == models::PolicyGuarantee::SetLimited
               ? Wanted::Tightest
               : Wanted::WithEvidence;
}

/// `wanted`: of the policy, where addresses are arguments.
Result<Alternatives> bounds_by(const AnalysisContext& context, const QueueingArgument& argument,
                               Wanted wanted = Wanted::Tightest) {
    if (!argument) {
        const AnalysisContext plain = without_addresses(context);
        return bounds_with_queueing(plain, Wanted::WithEvidence, "queueing delay by path bounds",
                                    [&](models::Cycles unloaded) {
                                        return certify_queueing_delay(plain.kernel, plain.launch,
                                                                      plain.memory, plain.run,
                                                                      unloaded);
                                    });
    }
    AnalysisContext without = context;
    without.kernel = without_queueing(context.kernel, context.launch, context.memory, *argument);
    auto all =
        bounds_with_queueing(without, wanted, text_of(*argument), [&](models::Cycles unloaded) {
            return queueing_delay(context.kernel, context.launch, context.memory, *argument,
                                  unloaded);
        });
    if (all)
        for (SideAnswer& one : all.value())
            one.execution.queueing = *argument;
    return all;
}

models::Cycles least_of(const Alternatives& all) {
    models::Cycles least = all.front().execution.proved;
    for (const SideAnswer& one : all)
        least = std::min(least, one.execution.proved);
    return least;
}

void add_with_evidence(Alternatives& all, const QueueingArgument& argument, Alternatives further) {
    if (!argument) return add_with_evidence(all, std::move(further));
    for (SideAnswer& one : further) {
        BoundExpression chosen = chosen_sum(one.execution.bound);
        one.execution.bound = std::move(chosen);
        all.push_back(std::move(one));
    }
}

/// The bounds that evidence shows of this argument, whose certificates are kept; none, and no
/// certificate, where it is stopped, or those without addresses are tighter.
Alternatives with_evidence_of(const AnalysisContext& context, const QueueingArgument& argument,
                              const Alternatives& without_addresses) {
    CertificateStore* const store = context.run.certificates;
    const std::size_t before = store == nullptr ? 0 : store->certificates.size();
    const Wanted wanted = shown_by_addresses(context.launch);
    Alternatives all = further([&] { return bounds_by(context, argument, wanted); }, 1.0);
    if (!all.empty() && !without_addresses.empty() && least_of(without_addresses) < least_of(all))
        all.clear();
    if (all.empty() && store != nullptr)
        store->certificates.erase(store->certificates.begin() + static_cast<std::ptrdiff_t>(before),
                                  store->certificates.end());
    return all;
}

/// Accesses through the caches: by each of the arguments on their waits. Of those that evidence can
/// show, the one with the least bound is the one that it shows; the others only re-analysis shows.
Result<SideAnswer> upper_bound(const AnalysisContext& context) {
    const bool certifies = context.run.certificates != nullptr;
    if (!context.memory.caches) {
        auto all = bounds_without_caches(context, Wanted::All);
        if (!all) return all.as_failure();
        return best_of(Side::Upper, std::move(all).value(), certifies);
    }
    AnalysisContext refined = context;
    refined.run = context.run.without_certificates();
    std::vector<QueueingArgument> arguments;
    for (const QueueingRules rules : queueing_rules(context.kernel, context.launch, context.memory))
        arguments.emplace_back(rules);
    arguments.emplace_back(std::nullopt);
    std::vector<Alternatives> bounds;
    std::optional<std::size_t> shown; // Place of the argument that evidence shows.
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto bounded = [&] { return bounds_by(refined, arguments[i]); };
        if (i == 0 && !certifies) { // One has to hold.
            auto first = bounded();
            if (!first) return first.as_failure();
            bounds.push_back(std::move(first).value());
        } else {
            bounds.push_back(further(bounded, 1.0));
        }
        if (bounds.back().empty()) continue;
        const auto preference = [&](std::size_t of) { // Of equal ones that without addresses.
            return std::pair{least_of(bounds[of]), arguments[of].has_value()};
        };
        if (!shown || preference(i) < preference(*shown)) shown = i;
    }
    const auto are_others = [&](std::size_t of) { // Evidence does not show the tightest ones.
        return arguments[of] && shown_by_addresses(context.launch) == Wanted::WithEvidence;
    };
    Alternatives with_evidence;
    if (shown && (certifies || are_others(*shown)))
        with_evidence = with_evidence_of(context, arguments[*shown], bounds.back());
    if (certifies && with_evidence.empty()) {
        auto plain = bounds_by(context, std::nullopt);
        if (!plain) return plain.as_failure();
        with_evidence = std::move(plain).value();
        shown = arguments.size() - 1;
    } else if (shown && with_evidence.empty()) {
        if (are_others(*shown)) shown = arguments.size() - 1;
        with_evidence = std::move(bounds[*shown]);
    }
    Alternatives all;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (shown != i || are_others(i)) add_without_evidence(all, std::move(bounds[i]));
    if (shown) add_with_evidence(all, arguments[*shown], std::move(with_evidence));
    return best_of(Side::Upper, std::move(all), certifies);
}

/// The bounds of the best alternatives, where those with evidence are looser.
std::optional<models::Bounds<models::Cycles>> without_evidence(const Envelope& claimed) {
    const auto best = [](const SideResult& side) {
        return side.terms.empty() ? side.proved : value_of(side.bound);
    };
    const models::Cycles lower = best(claimed.lower);
    const models::Cycles upper = best(claimed.upper);
    if (lower == claimed.lower.proved && upper == claimed.upper.proved) return std::nullopt;
    return models::Bounds<models::Cycles>{lower, upper};
}

/// Keeps what each warp demands, and certificates of it, only where the claimed sum counts it.
void drop_uncounted_warps(SideResult& upper, CertificateStore* store) {
    if (std::any_of(upper.terms.begin(), upper.terms.end(),
                    [](const BoundTerm& term) { return is_of_counted_warps(term.certificate); }))
        return;
    upper.by_warp.clear();
    if (store == nullptr) return;
    std::erase_if(store->certificates, [](const PathCertificate& certificate) {
        return is_of_counted_warps(certificate.id);
    });
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
    const auto sides = sides_of(context.value(), request.launch);
    if (!sides) return sides.as_failure();
    if (request.certificates != nullptr && sides.value().cfg)
        request.certificates->serialized =
            SerializedPaths{*sides.value().cfg, sides.value().upper.kernel.facts.loops};
    if (auto fits = check_counters(sides.value().upper.kernel); !fits) return fits.as_failure();
    // Microarchitecture, path, interference, memory: the execution time under the policy.
    const auto traffic = traffic_by_addresses(request, context.value());
    auto lower = lower_bound(sides.value().lower, traffic);
    if (!lower) return lower.as_failure();
    auto upper = upper_bound(sides.value().upper);
    if (!upper) return upper.as_failure();
    if (auto fits = check_contains_traffic(context.value().kernel, lower.value().execution,
                                           upper.value().execution);
        !fits)
        return fits.as_failure();
    // The bounds, and what they rest on.
    Analysis analysis;
    analysis.execution_time = {std::move(lower.value().execution),
                               std::move(upper.value().execution)};
    drop_uncounted_warps(analysis.execution_time.upper, request.certificates);
    MeasuredTime measured =
        unless_stopped([&] {
            return bound_measured_time(context.value());
        }).value_or(MeasuredTime{std::nullopt, "a limit stopped the analysis before it"});
    analysis.measured_time = std::move(measured.envelope);
    analysis.measured_time_absent = std::move(measured.absent);
    if (request.certificates != nullptr) {
        keep_claimed_certificates(*request.certificates, analysis.execution_time.lower.terms,
                                  analysis.measured_time.has_value());
        analysis.without_evidence = without_evidence(analysis.execution_time);
    }
    if (sides.value().cfg)
        map_to_original_blocks(analysis.execution_time.upper, *sides.value().cfg);
    analysis.assumptions =
        assumptions_of(request.certificates != nullptr && !analysis.execution_time.upper.queueing
                           ? without_addresses(context.value())
                           : context.value(),
                       request.launch.arguments, upper.value().assumes_round_robin_order);
    if (traffic && analysis.execution_time.lower.loaded)
        analysis.assumptions.push_back({.id = fmt::format("A{}", analysis.assumptions.size() + 1),
                                        .text = assumption_of(*traffic),
                                        .status = AssumptionStatus::Unchecked,
                                        .subject = AssumptionSubject::Machine});
    analysis.state_nodes = lower.value().nodes + upper.value().nodes;
    if (lower.value().solver_used || upper.value().solver_used) analysis.solver = solver_version();
    if (auto host = add_end_to_end(request, analysis); !host) return host.as_failure();
    return analysis;
}

Result<models::PerMemory<std::int64_t>> traffic_of_launch(const Request& request) {
    const auto context = prepare(request);
    if (!context) return context.as_failure();
    const auto sides = sides_of(context.value(), request.launch);
    if (!sides) return sides.as_failure();
    // By numbers of transactions, which is what evidence shows of accesses.
    const AnalysisContext plain = without_addresses(sides.value().upper);
    return bytes_at_shared_memories(plain.kernel, plain.launch.shape);
}

/// The flow facts may allow more than can be counted: the input is refused, no number wraps around.
Failure too_large(const Request& request, const char* what, const char* unit) {
    return Failure{fmt::format("the {} of {} under these flow facts exceeds 2^63 {}", what,
                               request.function->name, unit),
                   request.facts->name};
}

} // namespace

Result<Analysis> analyze(const Request& request) {
    try {
        return bounds_of(request);
    } catch (const std::overflow_error&) {
        return too_large(request, "time", "cycles");
    }
}

Result<models::PerMemory<std::int64_t>> bound_traffic(const Request& request) {
    try {
        return traffic_of_launch(request);
    } catch (const std::overflow_error&) {
        return too_large(request, "traffic", "bytes");
    }
}

} // namespace warpbound::analyzer

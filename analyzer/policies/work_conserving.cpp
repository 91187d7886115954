#include "analyzer/policies/work_conserving.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/certified_sums.hpp"
#include "analyzer/interference/overlapped_issues.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/interference/store_ports.hpp"
#include "analyzer/interference/unawaited_drains.hpp"
#include "analyzer/microarchitecture/path_replay.hpp"
#include "analyzer/policies/response_time.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// Removes the certificates that only the other bound rests on.
void drop_certificates(CertificateStore* store, models::Warps rotation_warps) {
    if (store == nullptr) return;
    std::erase_if(store->certificates, [&](const PathCertificate& certificate) {
        if (rotation_warps == models::Warps{0} && is_of_counted_warps(certificate.id)) return true;
        return std::any_of(
            std::begin(certified_sums), std::end(certified_sums),
            [&](const char* sum) { return certificate.id == certificate_id(sum, rotation_warps); });
    });
}

Demand less_overlapped_issues(Demand demand, const TimedKernel& kernel,
                              const ScheduledLaunch& launch) {
    OverlappedIssues found = without_overlapped_issues(kernel, launch, demand.own_scheduler);
    demand.own_scheduler = std::move(found.demand);
    demand.longest_occupancy = found.longest_occupancy;
    return demand;
}

} // namespace

Demand WorkConserving::demand(const TimedKernel& kernel, const LaunchGeometry& shape) const {
    return {cost_to_same_scheduler(kernel, shape), cost_to_other_schedulers(kernel),
            drain_costs(kernel, Side::Upper)};
}

std::optional<Demand> WorkConserving::demand_in_turns(const TimedKernel& /*kernel*/,
                                                      const LaunchGeometry& /*shape*/,
                                                      const MemoryPath& /*memory*/) const {
    return std::nullopt;
}

Result<Alternatives> WorkConserving::from_above(const AnalysisContext& given,
                                                Wanted /*wanted*/) const {
    const TimedKernel& kernel = given.kernel;
    const ScheduledLaunch& launch = given.launch;
    const LaunchGeometry& shape = launch.shape;
    const AnalysisRun& run = given.run;
    const TimedKernel without_ports = without_ports_of_stores(kernel, launch, given.memory);
    const auto barriers = conserves_work(launch)
                              ? barriers_of_block(without_ports, shape)
                              : barriers_without_early_ends(without_ports, launch);
    if (!barriers) return barriers.as_failure();
    // The write buffer has terms of its own: in these pipelines it never delays.
    const auto pipelines_for = [&shape](const TimedKernel& of) {
        return pipelines_of(of, 1, {0, 0, 0}, {}, has_scheduler_to_itself(shape));
    };
    const auto problem_of = [&](const TimedKernel& of) {
        PipelinePair pipelines = pipelines_for(of);
        PathGraph paths = path_graph_of(of, pipelines, Side::Upper);
        return CriticalPathProblem{of,
                                   launch,
                                   std::move(pipelines),
                                   std::move(paths),
                                   barriers.value(),
                                   unawaited_drains(kernel, launch, given.memory),
                                   given.memory.caches.has_value()};
    };
    const CriticalPathProblem problem = problem_of(without_ports);
    auto bounded = bound_by_demand(
        problem, less_overlapped_issues(demand(without_ports, shape), without_ports, launch), run);
    if (!bounded) return bounded.as_failure();
    // S27 counts a port with the turns that follow, so S52 does not apply.
    if (const auto in_turns = demand_in_turns(kernel, shape, given.memory)) {
        auto second = unless_stopped(
            [&] { return bound_by_demand(problem_of(kernel), *in_turns, run); }, 1.0);
        if (second && !*second) return second->as_failure();
        const bool is_better = second && second->value().answer.execution.proved <
                                             bounded.value().answer.execution.proved;
        // Of the two, one has its certificates kept.
        drop_certificates(run.certificates,
                          is_better ? models::Warps{0} : in_turns->rotation_warps);
        if (second) {
            ResponseTimeBound& other = second->value();
            const bool solver_used = bounded.value().answer.solver_used || other.answer.solver_used;
            // No certificates are kept of the other one.
            drop_evidence(is_better ? bounded.value().answer.execution.bound
                                    : other.answer.execution.bound);
            BoundExpression both = best_of(Side::Upper, {bounded.value().answer.execution.bound,
                                                         other.answer.execution.bound});
            if (is_better) {
                bounded = std::move(*second);
                bounded.value().answer.assumes_round_robin_order = true;
            }
            bounded.value().answer.solver_used = solver_used;
            bounded.value().answer.execution.bound = std::move(both);
        }
    }
    SideResult& execution = bounded.value().answer.execution;
    if (bounded.value().witness)
        replay_path(*kernel.function, *kernel.graph, pipelines_for(kernel).upper,
                    *bounded.value().witness, execution);
    execution.best_found.reset();
    return Alternatives{std::move(bounded.value().answer)};
}

const Policy& work_conserving() {
    static const WorkConserving policy;
    return policy;
}

} // namespace warpbound::analyzer

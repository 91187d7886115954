#include "analyzer/policies/warps_by_index.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/certified_sums.hpp"
#include "analyzer/policies/counted_warps.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr PathQuery least_stall{Side::Upper, Facts::LoopBounds};

} // namespace

WarpsByIndex::WarpsByIndex(const CriticalPathProblem& problem, DemandByWarp found, Demand least,
                           PathSolution solved)
    : problem_{&problem}, found_{std::move(found)}, least_{std::move(least)}, solved_{std::move(
                                                                                  solved)} {}

std::optional<WarpsByIndex> WarpsByIndex::find(const CriticalPathProblem& problem,
                                               const Demand& demand, const AnalysisRun& run) {
    const ScheduledLaunch& launch = problem.launch;
    const bool conserves = launch.guarantee() == models::PolicyGuarantee::WorkConserving;
    if (!conserves || demand.turns != 0 || !demand.within_active_set.empty()) return std::nullopt;
    auto found = demand_by_warp(problem.kernel, launch, demand.own_scheduler,
                                demand.other_schedulers, demand.drain);
    if (!found) return std::nullopt;
    Demand least = demand;
    least.own_scheduler = found->own;
    auto solved = solve_paths(problem.kernel, run.without_certificates(),
                              less_own_demand(problem.kernel, launch.shape, least, problem.paths),
                              least_stall);
    if (!solved) return std::nullopt;
    found->demand.stall = std::max<std::int64_t>(0, solved.value().bound.count());
    // Certificates are kept of terms that take time.
    found->demand.is_certified = found->demand.stall > 0 && found->demand.excess > 0;
    return WarpsByIndex{problem, std::move(*found), std::move(least), std::move(solved).value()};
}

bool WarpsByIndex::certify(const std::vector<BoundTerm>& terms, const AnalysisRun& run) const {
    if (run.certificates == nullptr) return true;
    return unless_stopped([&] {
               certify_stall(run);
               certify_beyond_ports(problem_->kernel, run, found_, terms);
               return true;
           })
        .has_value();
}

void WarpsByIndex::certify_stall(const AnalysisRun& run) const {
    record(problem_->kernel, run,
           {certificate_id("guarded-stall"),
            "time to completion of one warp less its own demand where no guard holds"},
           least_stall, solved_, [&](std::optional<std::size_t> nodes) {
               return less_own_demand(
                   problem_->kernel, problem_->launch.shape, least_,
                   path_graph_of(problem_->kernel, problem_->pipelines, Side::Upper, nodes));
           });
}

} // namespace warpbound::analyzer

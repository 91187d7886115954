#include "analyzer/policies/response_time.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/interference/certified_sums.hpp"
#include "analyzer/interference/covering_chain.hpp"
#include "analyzer/interference/critical_path.hpp"
#include "analyzer/interference/fetch_delay.hpp"
#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/warps_by_index.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// The time of a warp up to any issue, or to completion, less its own demand (S74).
class Beginnings {
public:
    Beginnings(const TimedKernel& kernel, const PipelinePair& pipelines, InstructionCosts demand,
               const AnalysisRun& run)
        : kernel_{kernel}, pipelines_{pipelines}, demand_{std::move(demand)}, run_{run},
          solved_{solve_paths(kernel, run, paths(std::nullopt), to_any_issue).value()} {}

    [[nodiscard]] std::int64_t longest() const {
        return std::max<std::int64_t>(0, solved_.bound.count());
    }
    /// Keeps the certificate, if the request asks for certificates. False where it is stopped.
    [[nodiscard]] bool certify() const {
        return unless_stopped([&] {
                   return record(kernel_, run_,
                                 {certificate_id("prefix-stall"),
                                  "time to any issue or to completion of one warp less its own "
                                  "demand before"},
                                 to_any_issue, solved_,
                                 [&](std::optional<std::size_t> nodes) { return paths(nodes); });
               })
            .has_value();
    }

private:
    static constexpr PathQuery to_any_issue{Side::Upper, Facts::LoopBounds, PathEnds::AnyIssue};

    [[nodiscard]] PathGraph paths(std::optional<std::size_t> nodes) const {
        return prefix_graph_of(kernel_, pipelines_, demand_, nodes);
    }

    const TimedKernel& kernel_;
    const PipelinePair& pipelines_;
    InstructionCosts demand_; ///< Of the warp itself.
    const AnalysisRun& run_;
    PathSolution solved_;
};

/// The least sum that has evidence; null: none has.
const BoundExpression* shown_sum(const std::optional<BoundExpression>& shown) {
    return shown ? &chosen_sum(*shown) : nullptr;
}

/// What the warps of a launch cost each other, and the bound by it.
class ResponseTime {
public:
    ResponseTime(const CriticalPathProblem& problem, const Demand& demand, const AnalysisRun& run)
        : problem_{problem}, demand_{demand}, run_{run}, kernel_{problem.kernel},
          shape_{problem.launch.shape} {
        cost_.rotation_warps = demand.rotation_warps;
    }

    Result<ResponseTimeBound> bound() {
        count_demand();
        count_active_set();
        count_changes_of_warp();
        auto solved = time_of_one_warp();
        if (!solved) return solved.as_failure();
        cost_.stall = std::max<std::int64_t>(0, solved.value().bound.count());
        count_beginnings();
        count_by_index();
        SideAnswer answer;
        answer.nodes = static_cast<std::int64_t>(problem_.paths.nodes.size());
        answer.solver_used = solved.value().solver_used;
        SideResult& execution = answer.execution;
        set_bound(execution, least_with_certificates());
        execution.proof = Proof::ResponseTime;
        execution.outcome = solved.value().outcome;
        if (cost_.by_warp) execution.by_warp = cost_.by_warp->warps;
        return ResponseTimeBound{std::move(answer), std::move(solved.value().witness)};
    }

private:
    [[nodiscard]] CertificateName name(const char* sum, const char* text) const {
        return {certificate_id(sum, cost_.rotation_warps),
                std::string{text} + (cost_.counts_rotations() ? ", in loose round robin" : "")};
    }
    template <class Costs>
    [[nodiscard]] auto most(const char* sum, const char* text, const Costs& costs) const {
        return certified_most(kernel_, run_, name(sum, text), costs);
    }

    void count_demand() {
        cost_.own_scheduler = most("demand-own-scheduler",
                                   "demand of a warp on its own scheduler: issue slots and ports",
                                   demand_.own_scheduler);
        cost_.other_schedulers =
            most("demand-other-schedulers",
                 "demand of a warp on other schedulers: ports of the multiprocessor",
                 demand_.other_schedulers);
        if (changes_scheduler(shape_, problem_.barriers.most)) {
            InstructionCosts excess = demand_.own_scheduler;
            for (std::size_t i = 0; i < excess.size(); ++i)
                excess[i] -= demand_.other_schedulers[i];
            cost_.barrier_interval =
                most("barrier-interval",
                     "excess in one barrier interval of the demand of a warp on its own scheduler "
                     "over its demand on other schedulers",
                     barrier_interval_paths(kernel_, excess));
        }
        cost_.drain = most("drain", "drains of the stores of a warp", demand_.drain);
    }

    void count_active_set() {
        if (demand_.within_active_set.empty()) return;
        cost_.active_set_size = models::Warps{problem_.launch.policy.active};
        cost_.within_active_set =
            most("within-active-set", "stalls of a warp that do not make it leave the active set",
                 demand_.within_active_set);
        cost_.residual_occupancy =
            most("residual-occupancy", "port occupancy of a warp beyond its issue slots",
                 demand_.residual_occupancy);
    }

    /// What counts where the critical path goes on with another warp, or block.
    void count_changes_of_warp() {
        cost_.carry_in =
            models::plus(std::max({largest(demand_.own_scheduler), demand_.longest_occupancy,
                                   longest_read_lag(kernel_, shape_)}),
                         queue_carry_in(kernel_, shape_));
        // When a block starts, the issue slot of the warp that was in the warp slot before may run.
        if (cost_.counts_rotations())
            cost_.carry_in =
                (models::Cycles{cost_.carry_in} + models::Cycles{shape_.issue_slot.hi - 1}).count();
        cost_.intervals_of_block = problem_.barriers.most + 1;
        cost_.early_ends_of_block = problem_.barriers.early_ends;
        cost_.left_in_buffer =
            (models::Cycles{largest(demand_.drain)} * kernel_.write_buffer.entries.hi).count();
        if (!knows_unawaited()) return;
        cost_.drained_in_refill =
            problem_.unawaited->in_refill(models::times(cost_.drain, shape_.warps_per_block));
        cost_.left_in_buffer = std::max<std::int64_t>(0, cost_.left_in_buffer - shape_.refill.hi);
    }
    [[nodiscard]] bool knows_unawaited() const {
        return problem_.unawaited && !cost_.counts_rotations() && !cost_.has_active_set() &&
               cost_.early_ends_of_block == 0;
    }

    /// Less its own demand.
    [[nodiscard]] Result<PathSolution> time_of_one_warp() const {
        // At a barrier the critical path may change to another warp; facts on whole paths do not
        // hold for it.
        const PathQuery query{Side::Upper,
                              problem_.barriers.most > 0 ? Facts::LoopBounds : Facts::All};
        auto solved = solve_paths(kernel_, run_,
                                  less_own_demand(kernel_, shape_, demand_, problem_.paths), query);
        if (!solved) return solved;
        return record(kernel_, run_,
                      name("stall", "time to completion of one warp less its own demand"), query,
                      std::move(solved).value(), [&](std::optional<std::size_t> nodes) {
                          return less_own_demand(
                              kernel_, shape_, demand_,
                              path_graph_of(kernel_, problem_.pipelines, Side::Upper, nodes));
                      });
    }

    void count_beginnings() {
        if (problem_.through_caches || !may_cover_by_chain(kernel_, problem_.launch, cost_)) return;
        unless_stopped([&] {
            beginnings_.emplace(kernel_, problem_.pipelines, own_demand(kernel_, shape_, demand_),
                                run_);
            return true;
        });
        if (!beginnings_) return;
        cost_.prefix_stall = beginnings_->longest();
        cost_.further_fetches = further_fetch_delay(kernel_, problem_.launch);
    }

    void count_by_index() {
        if (problem_.through_caches || cost_.early_ends_of_block != 0 || cost_.counts_rotations())
            return;
        by_index_ = unless_stopped([&] {
                        return WarpsByIndex::find(problem_, demand_, run_);
                    }).value_or(std::nullopt);
        if (!by_index_) return;
        cost_.by_warp = by_index_->demand();
        if (knows_unawaited())
            cost_.by_warp->drained_in_refill = problem_.unawaited->in_refill(cost_.by_warp->drain);
    }

    /// Where a certificate is not to be had in time, the sums are those without it.
    [[nodiscard]] BoundExpression least_with_certificates() {
        for (;;) {
            BoundExpression least = upper_bound_of(shape_, cost_);
            const auto shown = with_evidence(least, Side::Upper);
            if (const auto* sum = shown_sum(shown); sum == nullptr || !drops_uncertified(*sum))
                return least;
        }
    }
    /// Whether the sum needs a certificate that is not to be had.
    [[nodiscard]] bool drops_uncertified(const BoundExpression& sum) {
        if (cost_.prefix_stall && is_of_covering_chain(sum) && !beginnings_->certify())
            cost_.prefix_stall.reset();
        else if (cost_.by_warp && counts_by_warp(sum) && !by_index_->certify(sum.terms, run_))
            cost_.by_warp->is_certified = false;
        else
            return false;
        return true;
    }

    const CriticalPathProblem& problem_;
    const Demand& demand_;
    const AnalysisRun& run_;
    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    Interference cost_;
    std::optional<Beginnings> beginnings_;
    std::optional<WarpsByIndex> by_index_;
};

} // namespace

Result<ResponseTimeBound> bound_by_demand(const CriticalPathProblem& problem, const Demand& demand,
                                          const AnalysisRun& run) {
    return ResponseTime{problem, demand, run}.bound();
}

} // namespace warpbound::analyzer

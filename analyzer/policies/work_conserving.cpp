#include "analyzer/policies/work_conserving.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/interference/certified_sums.hpp"
#include "analyzer/interference/covering_chain.hpp"
#include "analyzer/interference/critical_path.hpp"
#include "analyzer/interference/demand_by_warp.hpp"
#include "analyzer/interference/fetch_delay.hpp"
#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/interference/store_ports.hpp"
#include "analyzer/interference/unawaited_drains.hpp"
#include "analyzer/microarchitecture/path_replay.hpp"
#include "analyzer/policies/counted_warps.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

std::int64_t largest(const InstructionCosts& costs) {
    return costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
}

/// What the time of a warp contains of its own demand, which the demand of all warps contains, too.
InstructionCosts own_demand(const TimedKernel& kernel, const LaunchGeometry& shape,
                            const Demand& demand) {
    InstructionCosts own = demand.own_scheduler;
    const InstructionCosts reads = delay_by_own_instructions(kernel, shape);
    for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = (models::Cycles{own[i]} - models::Cycles{demand.turns} - models::Cycles{reads[i]})
                     .count();
    return own;
}

/// Path problem of the time of a warp, less its own demand.
PathGraph less_own_demand(const TimedKernel& kernel, const LaunchGeometry& shape,
                          const Demand& demand, PathGraph paths) {
    return without_resource_demand(std::move(paths),
                                   block_costs(*kernel.graph, own_demand(kernel, shape, demand)));
}

/// Input that all upper bounds of a launch have in common.
struct CriticalPathProblem {
    const TimedKernel& kernel;
    const ScheduledLaunch& launch;
    PipelinePair pipelines;
    PathGraph paths;
    BlockBarriers barriers;
    std::optional<UnawaitedDrains> unawaited; ///< None: not known.
    bool through_caches = false;              ///< Some accesses go through them.
};

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

/// What S85 counts in place of the demand of the longest path for every warp.
class ByWarp {
public:
    /// None where it is not known.
    static std::optional<ByWarp> find(const CriticalPathProblem& problem, const Demand& demand,
                                      const AnalysisRun& run) {
        const ScheduledLaunch& launch = problem.launch;
        const bool conserves = launch.guarantee() == models::PolicyGuarantee::WorkConserving;
        if (!conserves || demand.turns != 0 || !demand.within_active_set.empty())
            return std::nullopt;
        auto found = demand_by_warp(problem.kernel, launch, demand.own_scheduler,
                                    demand.other_schedulers, demand.drain);
        if (!found) return std::nullopt;
        Demand least = demand;
        least.own_scheduler = found->own;
        auto solved =
            solve_paths(problem.kernel, run.without_certificates(),
                        less_own_demand(problem.kernel, launch.shape, least, problem.paths), query);
        if (!solved) return std::nullopt;
        found->demand.stall = std::max<std::int64_t>(0, solved.value().bound.count());
        // Certificates are kept of terms that take time.
        found->demand.is_certified = found->demand.stall > 0 && found->demand.excess > 0;
        return ByWarp{problem, std::move(*found), std::move(least), std::move(solved).value()};
    }

    [[nodiscard]] const BlockDemand& demand() const { return found_.demand; }
    /// Keeps the certificates of these terms, if the request asks for certificates. False where it
    /// is stopped.
    [[nodiscard]] bool certify(const std::vector<BoundTerm>& terms, const AnalysisRun& run) const {
        if (run.certificates == nullptr) return true;
        return unless_stopped([&] {
                   certify_stall(run);
                   certify_beyond_ports(problem_->kernel, run, found_, terms);
                   return true;
               })
            .has_value();
    }

private:
    static constexpr PathQuery query{Side::Upper, Facts::LoopBounds};

    ByWarp(const CriticalPathProblem& problem, DemandByWarp found, Demand least,
           PathSolution solved)
        : problem_{&problem}, found_{std::move(found)}, least_{std::move(least)}, solved_{std::move(
                                                                                      solved)} {}

    void certify_stall(const AnalysisRun& run) const {
        record(problem_->kernel, run,
               {certificate_id("guarded-stall"),
                "time to completion of one warp less its own demand where no guard holds"},
               query, solved_, [&](std::optional<std::size_t> nodes) {
                   return less_own_demand(
                       problem_->kernel, problem_->launch.shape, least_,
                       path_graph_of(problem_->kernel, problem_->pipelines, Side::Upper, nodes));
               });
    }

    const CriticalPathProblem* problem_;
    DemandByWarp found_;
    Demand least_; ///< Of the warp itself, whether its guards hold or not.
    PathSolution solved_;
};

/// The least sum that has evidence; null: none has.
const BoundExpression* shown_sum(const std::optional<BoundExpression>& shown) {
    return shown ? &chosen_sum(*shown) : nullptr;
}

/// `answer` does not contain the witness yet.
struct ResponseTimeBound {
    SideAnswer answer;
    std::optional<BlockPath> witness;
};

Result<ResponseTimeBound> bound_by_demand(const CriticalPathProblem& problem, const Demand& demand,
                                          const AnalysisRun& run) {
    const TimedKernel& kernel = problem.kernel;
    const LaunchGeometry& shape = problem.launch.shape;
    Interference cost;
    cost.rotation_warps = demand.rotation_warps;
    const auto name = [&](const char* sum, const char* text) {
        return CertificateName{certificate_id(sum, cost.rotation_warps),
                               std::string{text} +
                                   (cost.counts_rotations() ? ", in loose round robin" : "")};
    };
    cost.own_scheduler =
        certified_most(kernel, run,
                       name("demand-own-scheduler",
                            "demand of a warp on its own scheduler: issue slots and ports"),
                       demand.own_scheduler);
    cost.other_schedulers =
        certified_most(kernel, run,
                       name("demand-other-schedulers",
                            "demand of a warp on other schedulers: ports of the multiprocessor"),
                       demand.other_schedulers);
    if (changes_scheduler(shape, problem.barriers.most)) {
        InstructionCosts excess = demand.own_scheduler;
        for (std::size_t i = 0; i < excess.size(); ++i)
            excess[i] -= demand.other_schedulers[i];
        cost.barrier_interval =
            certified_most(kernel, run,
                           name("barrier-interval", "excess in one barrier interval of the demand "
                                                    "of a warp on its own scheduler over its "
                                                    "demand on other schedulers"),
                           barrier_interval_paths(kernel, excess));
    }
    cost.drain =
        certified_most(kernel, run, name("drain", "drains of the stores of a warp"), demand.drain);
    if (!demand.within_active_set.empty()) {
        cost.active_set_size = models::Warps{problem.launch.policy.active};
        cost.within_active_set = certified_most(
            kernel, run,
            name("within-active-set", "stalls of a warp that do not make it leave the active set"),
            demand.within_active_set);
        cost.residual_occupancy = certified_most(
            kernel, run,
            name("residual-occupancy", "port occupancy of a warp beyond its issue slots"),
            demand.residual_occupancy);
    }
    cost.carry_in =
        models::plus(std::max(largest(demand.own_scheduler), longest_read_lag(kernel, shape)),
                     queue_carry_in(kernel, shape));
    // When a block starts, the issue slot of the warp that was in the warp slot before may run.
    if (cost.counts_rotations())
        cost.carry_in =
            (models::Cycles{cost.carry_in} + models::Cycles{shape.issue_slot.hi - 1}).count();
    cost.intervals_of_block = problem.barriers.most + 1;
    cost.early_ends_of_block = problem.barriers.early_ends;
    cost.left_in_buffer =
        (models::Cycles{largest(demand.drain)} * kernel.write_buffer.entries.hi).count();
    const bool knows_unawaited = problem.unawaited && !cost.counts_rotations() &&
                                 !cost.has_active_set() && cost.early_ends_of_block == 0;
    if (knows_unawaited) {
        cost.drained_in_refill =
            problem.unawaited->in_refill(models::times(cost.drain, shape.warps_per_block));
        cost.left_in_buffer = std::max<std::int64_t>(0, cost.left_in_buffer - shape.refill.hi);
    }

    // At a barrier the critical path may change to another warp; facts on whole paths do not hold
    // for it.
    const Facts facts = problem.barriers.most > 0 ? Facts::LoopBounds : Facts::All;
    const PathQuery query{Side::Upper, facts};
    auto solved =
        solve_paths(kernel, run, less_own_demand(kernel, shape, demand, problem.paths), query);
    if (!solved) return solved.as_failure();
    solved = record(
        kernel, run, name("stall", "time to completion of one warp less its own demand"), query,
        std::move(solved).value(), [&](std::optional<std::size_t> nodes) {
            return less_own_demand(kernel, shape, demand,
                                   path_graph_of(kernel, problem.pipelines, Side::Upper, nodes));
        });
    cost.stall = std::max<std::int64_t>(0, solved.value().bound.count());
    const bool may_cover =
        !problem.through_caches && may_cover_by_chain(kernel, problem.launch, cost);
    const auto beginnings = may_cover ? unless_stopped([&] {
        return Beginnings{kernel, problem.pipelines, own_demand(kernel, shape, demand), run};
    })
                                      : std::nullopt;
    if (beginnings) {
        cost.prefix_stall = beginnings->longest();
        cost.further_fetches = further_fetch_delay(kernel, problem.launch);
    }
    std::optional<ByWarp> by_warp;
    if (!problem.through_caches && cost.early_ends_of_block == 0 && !cost.counts_rotations())
        by_warp = unless_stopped([&] {
                      return ByWarp::find(problem, demand, run);
                  }).value_or(std::nullopt);
    if (by_warp) cost.by_warp = by_warp->demand();
    if (cost.by_warp && knows_unawaited)
        cost.by_warp->drained_in_refill = problem.unawaited->in_refill(cost.by_warp->drain);
    BoundExpression bound = upper_bound_of(shape, cost);
    std::optional<BoundExpression> shown = with_evidence(bound, Side::Upper);
    const auto drops_uncertified = [&] {
        const BoundExpression* const sum = shown_sum(shown);
        if (sum == nullptr) return false;
        if (cost.prefix_stall && is_of_covering_chain(*sum) && !beginnings->certify())
            cost.prefix_stall.reset();
        else if (cost.by_warp && counts_by_warp(*sum) && !by_warp->certify(sum->terms, run))
            cost.by_warp->is_certified = false;
        else
            return false;
        return true;
    };
    while (drops_uncertified()) {
        bound = upper_bound_of(shape, cost);
        shown = with_evidence(bound, Side::Upper);
    }

    SideAnswer answer;
    answer.nodes = static_cast<std::int64_t>(problem.paths.nodes.size());
    answer.solver_used = solved.value().solver_used;
    SideResult& execution = answer.execution;
    set_bound(execution, std::move(bound));
    execution.proof = Proof::ResponseTime;
    execution.outcome = solved.value().outcome;
    if (cost.by_warp) execution.by_warp = cost.by_warp->warps;
    return ResponseTimeBound{std::move(answer), std::move(solved.value().witness)};
}

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
    auto bounded = bound_by_demand(problem, demand(without_ports, shape), run);
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

Result<SideAnswer> bound_work_conserving_from_below(const TimedKernel& kernel,
                                                    const LaunchGeometry& shape,
                                                    const AnalysisRun& run,
                                                    const PipelinePair& pipelines,
                                                    SideAnswer isolated) {
    const models::Architecture& architecture = *kernel.architecture;
    const auto least = [&](const CertificateName& name, const InstructionCosts& costs) {
        const auto of_blocks = block_costs(*kernel.graph, costs);
        certify_sum(kernel, run, name, of_blocks, Side::Lower);
        return extreme_sum(kernel, of_blocks, Side::Lower);
    };
    // Some multiprocessor gets at least its share of the blocks, and some scheduler of the warps.
    const models::Warps warps = shape.share() * shape.warps_per_block;
    const models::Warps share = shape.on_one_scheduler(warps);
    std::vector<std::vector<BoundTerm>> bounds;
    bounds.push_back(
        {{"one warp in isolation", 1, isolated.execution.proved.count(), "execution-time-lower"}});
    if (shape.waves() > 1) {
        Span span = whole_run(*kernel.graph, pipelines.lower);
        span.ends_at_exit = true;
        const PathSpan to_exit{kernel.facts.never, span, pipelines.start()};
        const auto paths = [&](std::optional<std::size_t> nodes) {
            return path_graph_of(kernel, pipelines, Side::Lower, to_exit, nodes);
        };
        const PathQuery shortest{Side::Lower, Facts::LoopBounds};
        const auto residency =
            solve_paths(kernel, run.until(std::nullopt), paths(std::nullopt), shortest);
        if (!residency) return residency.as_failure();
        record(kernel, run, {"execution-time-lower-residency", "time to the last EXIT of one warp"},
               shortest, residency.value(), paths);
        bounds.front().push_back({"blocks that ran before in the same block slot",
                                  shape.waves() - 1, residency.value().bound.count(),
                                  "execution-time-lower-residency"});
        bounds.front().push_back(
            {"replacement and start of a block", shape.waves() - 1, shape.refill.lo});
    }
    const CertificateName slots{"execution-time-lower-issue-slots", "issue slots of a warp"};
    bounds.push_back({{"issue slots of a warp on the scheduler with the largest demand",
                       share.count(), least(slots, issue_slot_costs(kernel, shape)), slots.id},
                      {"the last issue slot need not have ended", 1, 1 - shape.issue_slot.lo}});
    const CertificateName drains{"execution-time-lower-drain", "drains of the stores of a warp"};
    bounds.push_back({{"drains of the stores of a warp", warps.count(),
                       least(drains, drain_costs(kernel, Side::Lower)), drains.id}});
    for (std::size_t unit = 0; unit < architecture.units.size(); ++unit) {
        const models::UnitScope scope = architecture.units[unit].scope;
        if (scope == models::UnitScope::Warp) continue;
        const InstructionCosts costs = port_costs(kernel, unit);
        const CertificateName port{
            "execution-time-lower-port-" + architecture.units[unit].name,
            fmt::format("occupancy of the port of {}", architecture.units[unit].name)};
        bounds.push_back(
            {{fmt::format("occupancy of the port of {} by a warp", architecture.units[unit].name),
              (scope == models::UnitScope::Core ? warps : share).count(), least(port, costs),
              port.id},
             {"its last use need not have ended", 1, -largest(costs)}});
    }
    const CertificateName queue{"execution-time-lower-memory-queue",
                                "hand-overs by the memory queue of a scheduler"};
    if (uses_memory_queue(kernel)) {
        const InstructionCosts costs = hand_over_costs(kernel);
        bounds.push_back(
            {{"hand-overs of a warp by the memory queue of its scheduler", share.count(),
              least(queue, costs), queue.id},
             {"its last hand-over need not have been followed by another", 1, -largest(costs)}});
    }
    const std::size_t banks = kernel.registers.reads ? kernel.registers.reads->banks : 0;
    for (std::size_t bank = 0; bank < banks; ++bank) {
        const CertificateName port{fmt::format("execution-time-lower-read-port-{}", bank),
                                   fmt::format("register reads from bank {}", bank)};
        bounds.push_back({{fmt::format("reads of a warp from bank {} of the register file", bank),
                           share.count(), least(port, read_costs(kernel, bank)), port.id},
                          {"its last reads may be within the window that follows a grant", 1,
                           -kernel.registers.reads->window}});
    }
    std::vector<BoundExpression> sums;
    for (auto& terms : bounds) {
        BoundExpression& sum = sums.emplace_back();
        sum.text = terms.front().text;
        sum.terms = std::move(terms);
    }
    const models::Cycles of_path = sum_of(sums.front().terms);
    set_bound(isolated.execution, best_of(Side::Lower, std::move(sums)));
    if (of_path < isolated.execution.proved || shape.waves() > 1)
        isolated.execution.proof = Proof::ResponseTime;
    isolated.execution.best_found.reset();
    return isolated;
}

} // namespace warpbound::analyzer

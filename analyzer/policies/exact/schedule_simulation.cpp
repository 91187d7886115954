#include "analyzer/policies/exact/schedule_simulation.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/launch/single_path.hpp"
#include "analyzer/policies/time_division/blocking.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using Times = models::Bounds<models::Cycles>;

constexpr std::int64_t most_issues = std::int64_t{1} << 20U;

/// Interval that contains a cycle.
struct CycleRange {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
};

/// The warps of one scheduler; none waits for a warp of another scheduler.
class SimulatedScheduler {
public:
    SimulatedScheduler(const models::Architecture& machine, const PipelinePair& pipelines,
                       const std::vector<PathStep>& path)
        : machine_{machine}, pipelines_{pipelines}, path_{path} {}

    /// Under time division, with `warps` warps in the first warp slots; the run starts `start`
    /// cycles into a period. None when the cycle of an issue is not determined, or when all starts
    /// together take too many slots.
    std::optional<Times> run(const SlotTable& order, models::Warps warps, std::int64_t start) {
        begin(order.warp_slots());
        auto left = static_cast<std::size_t>(warps.count());
        for (std::size_t empty = left; empty < warps_.size(); ++empty)
            warps_[empty].next = path_.size();
        const std::int64_t slot = order.slot_length();
        for (std::int64_t k = start / slot; left > 0; ++k) {
            check_stop("the simulation of the schedule");
            if (--slots_left_ < 0) return std::nullopt;
            Warp& owner = warps_[static_cast<std::size_t>(
                order.owners()[static_cast<std::size_t>(k % order.period())])];
            if (owner.next == path_.size()) continue;
            const std::int64_t first = std::max(k * slot - start, next_choice_);
            const std::int64_t last = (k + 1) * slot - start - 1;
            const CycleRange may = may_issue(owner);
            if (may.lower > last) continue;
            const std::int64_t at = std::max(first, may.lower);
            if (std::max(first, may.upper) != at) return std::nullopt;
            next_choice_ = at + slot;
            if (!issue(owner, at)) return std::nullopt;
            if (owner.next == path_.size()) --left;
        }
        return Times{models::Cycles{completion_.lower}, models::Cycles{completion_.upper}};
    }

    /// In strict round robin: each warp issues as soon as it has the turn and may issue. Requires:
    /// no instruction may issue in the cycle of its predecessor; `pipelines` holds one side twice.
    models::Cycles run_in_strict_order(models::Warps warps, std::int64_t slot) {
        begin(warps);
        for (std::size_t choice = 0; choice < path_.size(); ++choice)
            for (Warp& warp : warps_) {
                check_stop("the simulation of the schedule");
                const std::int64_t at = std::max(next_choice_, may_issue(warp).upper);
                next_choice_ = at + slot;
                issue_one(warp, at);
            }
        return models::Cycles{completion_.upper};
    }

private:
    struct Warp {
        PipelineState lower; ///< Both sides enclose the outstanding instructions.
        PipelineState upper;
        CycleRange ready;      ///< When the next instruction may issue, ports of other warps aside.
        std::int64_t last = 0; ///< Cycle of the last issue.
        std::size_t next = 0;  ///< Next step of the path.
    };

    void begin(models::Warps warps) {
        const Warp initial{pipelines_.lower.start(), pipelines_.upper.start(), {}, 0, 0};
        warps_.assign(static_cast<std::size_t>(warps.count()), initial);
        ports_.assign(machine_.units.size(), {});
        completion_ = {};
        next_choice_ = 0;
    }

    [[nodiscard]] CycleRange may_issue(const Warp& warp) const {
        const std::size_t instruction = path_[warp.next].instruction;
        const PortUse lower = pipelines_.lower.port_use(instruction);
        const PortUse upper = pipelines_.upper.port_use(instruction);
        CycleRange may = warp.ready;
        if (is_of_warp(lower.unit)) return may;
        if (lower.executes) may.lower = std::max(may.lower, ports_[lower.unit].lower);
        if (upper.executes) may.upper = std::max(may.upper, ports_[upper.unit].upper);
        return may;
    }

    [[nodiscard]] bool is_of_warp(std::size_t unit) const {
        return machine_.units[unit].scope == models::UnitScope::Warp;
    }

    /// Issues an instruction and those that follow in the same cycle (C4); false when it is not
    /// determined whether they do.
    bool issue(Warp& warp, std::int64_t at) {
        while (true) {
            issue_one(warp, at);
            if (warp.next == path_.size()) return true;
            const CycleRange may = may_issue(warp);
            if (may.lower > at) return true;
            if (may.upper > at) return false;
        }
    }

    void issue_one(Warp& warp, std::int64_t at) {
        const PathStep& step = path_[warp.next++];
        const std::int64_t elapsed = at - warp.last;
        pipelines_.lower.issue(warp.lower, step.instruction, elapsed);
        pipelines_.upper.issue(warp.upper, step.instruction, elapsed);
        const PortUse lower = pipelines_.lower.port_use(step.instruction);
        const PortUse upper = pipelines_.upper.port_use(step.instruction);
        CycleRange& port = ports_[lower.unit];
        if (lower.executes) port.lower = at + lower.occupancy;
        if (upper.executes) port.upper = std::max(port.upper, at + upper.occupancy);
        warp.last = at;
        if (warp.next == path_.size()) {
            const CycleRange end{at + pipelines_.lower.completion(warp.lower),
                                 at + pipelines_.upper.completion(warp.upper)};
            completion_.lower = std::max(completion_.lower, end.lower);
            completion_.upper = std::max(completion_.upper, end.upper);
            return;
        }
        pipelines_.lower.leave(warp.lower, step.instruction, step.transferred);
        pipelines_.upper.leave(warp.upper, step.instruction, step.transferred);
        const std::size_t next = path_[warp.next].instruction;
        warp.ready = {at + pipelines_.lower.wait_of(warp.lower, next).cycles,
                      at + pipelines_.upper.wait_of(warp.upper, next).cycles};
    }

    const models::Architecture& machine_;
    const PipelinePair& pipelines_;
    const std::vector<PathStep>& path_;
    std::vector<Warp> warps_;
    std::vector<CycleRange> ports_; ///< When each is free, by unit.
    CycleRange completion_;
    std::int64_t next_choice_ = 0;
    std::int64_t slots_left_ = std::int64_t{1} << 23U; ///< Including slots without an issue.
};

/// Whether no warp waits for a warp of another scheduler.
bool schedulers_are_independent(const TimedKernel& kernel, const LaunchGeometry& shape,
                                std::size_t schedulers) {
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        if (!kernel.used[i]) continue;
        const auto& timing = kernel.timings[i].value();
        const bool shared = schedulers > 1 && is_shared_by_all(kernel, i);
        if (timing.enters_write_buffer || shared) return false;
    }
    return first_common_barrier(kernel, shape) == nullptr;
}

/// Whether every turn of a warp issues exactly one instruction, for all values of the intervals.
bool turns_are_instructions(const TimedKernel& kernel) {
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        if (!kernel.used[i]) continue;
        const auto& timing = kernel.timings[i].value();
        if (timing.is_barrier_wait || timing.gap.lo == 0 || timing.gap_taken.lo == 0) return false;
    }
    return true;
}

} // namespace

std::optional<Times> simulated_times(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                     std::int64_t launches) {
    const LaunchGeometry& shape = launch.shape;
    if (shape.waves() > 1 || !shape.issue_slot.is_exact()) return std::nullopt;
    const auto schedulers = schedulers_of(launch.policy, shape);
    std::int64_t with_warps = 0; // Schedulers.
    std::int64_t runs = 0;       // Of one warp, over all starts.
    for (const EquivalentSchedulers& equal : schedulers) {
        if (equal.warps > models::Warps{0}) with_warps += equal.count;
        runs += equal.table.period() * equal.table.slot_length() * equal.table.warp_slots().count();
    }
    if (!schedulers_are_independent(kernel, shape, static_cast<std::size_t>(with_warps)))
        return std::nullopt;
    const auto path =
        single_path(kernel, static_cast<std::size_t>(most_issues / (runs * launches)));
    if (!path) return std::nullopt;
    const PipelinePair pipelines = pipelines_of(kernel, 1, {0, 0, 0});
    models::Cycles best{0};
    models::Cycles worst{0};
    for (const EquivalentSchedulers& equal : schedulers) {
        SimulatedScheduler scheduler{*kernel.architecture, pipelines, *path};
        std::optional<models::Cycles> fastest;
        for (std::int64_t start = 0; start < equal.table.period() * equal.table.slot_length();
             ++start) {
            const auto times = scheduler.run(equal.table, equal.warps, start);
            if (!times) return std::nullopt;
            fastest = std::min(fastest.value_or(times->lower()), times->lower());
            worst = std::max(worst, times->upper());
        }
        best = std::max(best, *fastest);
    }
    return Times{best, worst};
}

std::optional<models::Cycles> time_in_strict_order(const TimedKernel& kernel,
                                                   const models::Interval& issue_slot,
                                                   models::Warps warps, Side side) {
    if (!turns_are_instructions(kernel)) return std::nullopt;
    // A warp that ends early omits turns; no later issue is delayed by that.
    const auto path =
        single_path(kernel, static_cast<std::size_t>(most_issues / warps.count()),
                    side == Side::Upper ? FurtherPaths::EarlyExits : FurtherPaths::None);
    if (!path) return std::nullopt;
    const PipelinePair pipelines = pipelines_of(kernel, 1, {0, 0, 0});
    const PipelinePair twice{pipelines.of(side), pipelines.of(side)};
    return SimulatedScheduler{*kernel.architecture, twice, *path}.run_in_strict_order(
        warps, side == Side::Upper ? issue_slot.hi : issue_slot.lo);
}

} // namespace warpbound::analyzer

#include "analyzer/policies/exact/sm_state_machine.hpp"

#include "analyzer/interference/barrier_alignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t most_schedulers = 16;
constexpr std::int64_t most_entries = 1024;                     ///< Of the write buffer.
constexpr std::int64_t longest_period = std::int64_t{1} << 18U; ///< Time slots times warp slots.
constexpr std::size_t longest_path = 1U << 16U;

bool contains(Schedulers some, std::size_t scheduler) {
    return ((some >> scheduler) & 1U) != 0;
}

Schedulers only(std::size_t scheduler) {
    return Schedulers{1} << scheduler;
}

/// Remaining cycles until `time`.
Time remaining(Time now, Time time) {
    return std::max<Time>(0, time - now);
}

} // namespace

SlotPeriod::SlotPeriod(const SlotTable& order, std::int64_t every, models::Warps warps)
    : slot_{order.slot_length()}, warp_slots_{static_cast<std::size_t>(order.warp_slots().count())},
      warps_{static_cast<std::size_t>(warps.count())} {
    for (const std::int64_t owner : order.owners())
        owners_.push_back(static_cast<std::size_t>(owner));
    // After a multiple of `every` slots the fast warp slot has the same time slots, and the others
    // rotate in the same order, starting with another one.
    period_ = warp_slots_ == 1 ? 1 : models::times(every, slot_);
    const std::size_t slots = owners_.size();
    until_.resize(slots, std::vector<Time>(warp_slots_, 0));
    for (std::size_t k = 2 * slots; k-- > 0;)
        for (std::size_t warp_slot = 0; warp_slot < warp_slots_; ++warp_slot)
            until_[k % slots][warp_slot] =
                owners_[k % slots] == warp_slot ? 0 : until_[(k + 1) % slots][warp_slot] + 1;
    for (const auto& until : until_) {
        upcoming_.emplace_back(warp_slots_);
        std::iota(upcoming_.back().begin(), upcoming_.back().end(), std::size_t{0});
        std::sort(upcoming_.back().begin(), upcoming_.back().end(),
                  [&](std::size_t a, std::size_t b) { return until[a] < until[b]; });
    }
}

Time SlotPeriod::own(std::size_t warp_slot, Time cycle) const {
    const Time slots = until_[slot_of(cycle)][warp_slot];
    return slots == 0 ? cycle : (cycle / slot_ + slots) * slot_;
}

std::optional<SmStateMachine> SmStateMachine::of(const TimedKernel& kernel,
                                                 const ScheduledLaunch& launch) {
    const LaunchGeometry& shape = launch.shape;
    if (shape.waves() > 1 || shape.multiprocessors > 1 || !shape.issue_slot.is_exact() ||
        kernel.lanes_diverge || first_common_barrier(kernel, shape) != nullptr)
        return std::nullopt;
    const auto path = single_path(kernel, longest_path);
    if (!path) return std::nullopt;
    PipelinePair pipelines = pipelines_of(kernel, 0, {0, 0, 0});
    auto steps = exact_demand(kernel, pipelines, *path);
    if (!steps) return std::nullopt;
    SmStateMachine machine{std::move(pipelines), std::move(*steps)};
    for (const EquivalentSchedulers& equal : schedulers_of(launch.policy, shape)) {
        if (equal.warps == models::Warps{0}) continue;
        if (models::times(equal.table.period(), equal.table.warp_slots()) > longest_period)
            return std::nullopt;
        machine.period_of_.insert(machine.period_of_.end(), static_cast<std::size_t>(equal.count),
                                  machine.periods_.size());
        machine.periods_.emplace_back(equal.table, launch.policy.every, equal.warps);
    }
    const auto stores = std::count_if(machine.steps_.begin(), machine.steps_.end(),
                                      [](const ExactDemand& step) { return step.enters_buffer; });
    const std::int64_t entries =
        std::min(kernel.write_buffer.entries.lo, models::times(stores, shape.warps()));
    if (machine.period_of_.size() > most_schedulers || entries > most_entries) return std::nullopt;
    machine.entries_ = static_cast<std::size_t>(entries);
    machine.units_ = kernel.architecture->units.size();
    machine.has_any_order_ = is_amd(kernel.function->target);
    machine.components_ = awaited_components(machine.pipelines_, *path);
    return machine;
}

SmState SmStateMachine::begin(const std::vector<Time>& starts) const {
    SmState launch;
    for (std::size_t i = 0; i < period_of_.size(); ++i) {
        SchedulerState scheduler;
        scheduler.period = period_of_[i];
        scheduler.phase = starts[i];
        scheduler.left = periods_[scheduler.period].warps();
        scheduler.ports.assign(units_, 0);
        scheduler.warps.assign(periods_[scheduler.period].warp_slots(),
                               {steps_.size(), 0, 0, pipelines_.upper.start()});
        for (std::size_t warp_slot = 0; warp_slot < scheduler.left; ++warp_slot)
            scheduler.warps[warp_slot].next = 0;
        launch.schedulers.push_back(std::move(scheduler));
    }
    launch.ports.assign(units_, 0);
    launch.drains.assign(entries_, 0);
    return launch;
}

/// When a warp may issue, its time slots and the choices of its scheduler aside.
Time SmStateMachine::free_from(const SmState& launch, const SchedulerState& scheduler,
                               const WarpState& warp) const {
    const ExactDemand& step = steps_[warp.next];
    Time time = warp.ready;
    if (step.port == Shared::ByScheduler) time = std::max(time, scheduler.ports[step.unit]);
    if (step.port == Shared::ByMultiprocessor) time = std::max(time, launch.ports[step.unit]);
    if (step.enters_buffer) time = std::max(time, launch.drains.front());
    return time;
}

Schedulers SmStateMachine::able(const SmState& launch, Time at) const {
    Schedulers able = 0;
    for (std::size_t i = 0; i < launch.schedulers.size(); ++i) {
        const SchedulerState& scheduler = launch.schedulers[i];
        if (scheduler.left == 0 || scheduler.next_choice > at) continue;
        const WarpState& owner =
            scheduler.warps[periods_[scheduler.period].owner(scheduler.phase + at)];
        if (owner.next < steps_.size() && free_from(launch, scheduler, owner) <= at)
            able |= only(i);
    }
    return able;
}

const ExactDemand& SmStateMachine::step_of(const SmState& launch, std::size_t scheduler,
                                           Time at) const {
    const SchedulerState& chooser = launch.schedulers[scheduler];
    return steps_[chooser.warps[periods_[chooser.period].owner(chooser.phase + at)].next];
}

/// Two instructions for the same port, or stores that do not all fit or that drain in different
/// times.
Schedulers SmStateMachine::rivals(const SmState& launch, Schedulers able, Time at) const {
    Schedulers rivals = 0;
    Schedulers stores = 0;
    std::size_t count = 0;
    bool equal_drains = true;
    Time drain = 0;
    for (std::size_t i = 0; i < launch.schedulers.size(); ++i) {
        if (!contains(able, i)) continue;
        const ExactDemand& step = step_of(launch, i, at);
        for (std::size_t j = 0; j < i && step.port == Shared::ByMultiprocessor; ++j) {
            if (!contains(able, j)) continue;
            const ExactDemand& other = step_of(launch, j, at);
            if (other.port == Shared::ByMultiprocessor && other.unit == step.unit)
                rivals |= only(i) | only(j);
        }
        if (!step.enters_buffer) continue;
        equal_drains = equal_drains && (count == 0 || step.drain == drain);
        drain = step.drain;
        stores |= only(i);
        ++count;
    }
    const bool fit = count <= entries_ && (count == 0 || launch.drains[count - 1] <= at);
    if (count > 1 && (!equal_drains || !fit)) rivals |= stores;
    return rivals;
}

bool SmStateMachine::issue(SmState& launch, std::size_t index, Time at) const {
    SchedulerState& scheduler = launch.schedulers[index];
    const SlotPeriod& period = periods_[scheduler.period];
    WarpState& warp = scheduler.warps[period.owner(scheduler.phase + at)];
    const ExactDemand& step = steps_[warp.next];
    scheduler.next_choice = at + period.slot();
    if (step.port == Shared::ByScheduler) scheduler.ports[step.unit] = at + step.occupancy;
    if (step.port == Shared::ByMultiprocessor) launch.ports[step.unit] = at + step.occupancy;
    if (step.enters_buffer) {
        const Time drained = std::max(launch.drains.back(), at) + step.drain;
        launch.drains.erase(launch.drains.begin());
        launch.drains.push_back(drained);
        launch.completion = std::max(launch.completion, drained);
    }
    PipelineState least = has_any_order_ ? warp.state : PipelineState{};
    pipelines_.upper.issue(warp.state, step.step.instruction, at - warp.last);
    if (has_any_order_) {
        pipelines_.lower.issue(least, step.step.instruction, at - warp.last);
        if (least != warp.state) return false;
    }
    launch.completion = std::max(launch.completion, at + pipelines_.upper.completion(warp.state));
    warp.last = at;
    ++warp.next;
    if (warp.next == steps_.size()) {
        --scheduler.left;
        return true;
    }
    pipelines_.upper.leave(warp.state, step.step.instruction, step.step.transferred);
    const std::size_t next = steps_[warp.next].step.instruction;
    const Time wait = pipelines_.upper.wait_of(warp.state, next).cycles;
    warp.ready = at + wait;
    return pipelines_.lower.wait_of(warp.state, next).cycles == wait;
}

Time SmStateMachine::next_issue(const SmState& launch, Time at) const {
    Time next = std::numeric_limits<Time>::max();
    for (const SchedulerState& scheduler : launch.schedulers)
        for (const WarpState& warp : scheduler.warps)
            if (warp.next < steps_.size())
                next = std::min(
                    next, std::max(scheduler.next_choice, free_from(launch, scheduler, warp)));
    return std::max(next, at + 1);
}

std::vector<Time> SmStateMachine::packed(const SmState& launch, const SchedulerState& scheduler,
                                         Time now) const {
    const SlotPeriod& period = periods_[scheduler.period];
    const bool ended = scheduler.left == 0;
    const Time phase = scheduler.phase + now;
    std::vector<Time> state{static_cast<Time>(scheduler.period),
                            ended ? 0 : phase % period.period(),
                            ended ? 0 : remaining(now, scheduler.next_choice)};
    for (const Time port : scheduler.ports)
        state.push_back(ended ? 0 : remaining(now, port));
    for (const std::size_t warp_slot : period.upcoming(phase)) {
        const WarpState& warp = scheduler.warps[warp_slot];
        state.push_back(static_cast<Time>(warp.next));
        if (warp.next == steps_.size()) {
            state.insert(state.end(), components_.size(), 0);
            continue;
        }
        // The warp issues in its own time slots, and not before ports, write buffer and scheduler
        // allow its next instruction. Resources that are free by then do not matter.
        const auto until = [&](Time time) {
            return period.own(warp_slot, phase + remaining(now, time)) - phase;
        };
        const Time issue =
            until(std::max(scheduler.next_choice, free_from(launch, scheduler, warp)));
        for (const std::size_t component : components_) {
            const Time time = until(warp.last + warp.state[component]);
            if (component == PipelineModel::gap_component)
                state.push_back(issue == until(now) ? 0 : issue);
            else
                state.push_back(time <= issue ? 0 : time);
        }
    }
    return state;
}

std::vector<Time> SmStateMachine::packed(const SmState& launch, Time now) const {
    std::vector<std::vector<Time>> schedulers;
    for (const SchedulerState& scheduler : launch.schedulers)
        schedulers.push_back(packed(launch, scheduler, now));
    std::sort(schedulers.begin(), schedulers.end());
    std::vector<Time> state;
    for (const auto& scheduler : schedulers)
        state.insert(state.end(), scheduler.begin(), scheduler.end());
    for (const auto* times : {&launch.ports, &launch.drains})
        for (const Time time : *times)
            state.push_back(remaining(now, time));
    return state;
}

SmState SmStateMachine::unpacked(const std::vector<Time>& state) const {
    SmState launch;
    auto each = state.begin();
    for (std::size_t i = 0; i < period_of_.size(); ++i) {
        SchedulerState scheduler;
        scheduler.period = static_cast<std::size_t>(*each++);
        scheduler.phase = *each++;
        scheduler.next_choice = *each++;
        for (std::size_t unit = 0; unit < units_; ++unit)
            scheduler.ports.push_back(*each++);
        const SlotPeriod& period = periods_[scheduler.period];
        scheduler.warps.resize(period.warp_slots());
        for (const std::size_t warp_slot : period.upcoming(scheduler.phase)) {
            WarpState& warp = scheduler.warps[warp_slot];
            warp.next = static_cast<std::size_t>(*each++);
            warp.state = pipelines_.upper.start();
            for (const std::size_t component : components_)
                warp.state[component] = *each++;
            if (warp.next == steps_.size()) continue;
            ++scheduler.left;
            warp.ready =
                pipelines_.upper.wait_of(warp.state, steps_[warp.next].step.instruction).cycles;
        }
        launch.schedulers.push_back(std::move(scheduler));
    }
    for (std::size_t unit = 0; unit < units_; ++unit)
        launch.ports.push_back(*each++);
    launch.drains.assign(each, state.end());
    return launch;
}

} // namespace warpbound::analyzer

#include "certification/verify/policies/slotted_state.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace warpbound::certification::verify {

namespace {

constexpr std::uint64_t bit(std::size_t scheduler) {
    return std::uint64_t{1} << scheduler;
}

std::int64_t left_at(std::int64_t cycle, std::int64_t time) {
    return std::max<std::int64_t>(0, time - cycle);
}

/// Of the warp slots that are not fast, the number of the one that owns the next time slot of them
/// from this cycle on. Their time slots before it, counted from the beginning of the table.
std::int64_t turn_of_others(const SchedulerSlots& table, std::int64_t cycle) {
    const std::int64_t slot = cycle / table.duration;
    return (slot - (slot + table.every - 1) / table.every) % (table.warp_slots - 1);
}

} // namespace

SlottedSteps::SlottedSteps(const TimedCode& code, PathStates& path,
                           std::vector<SchedulerSlots> tables)
    : path_{path}, tables_{std::move(tables)}, units_{code.kernel.architecture.units.size()} {
    for (SchedulerSlots& table : tables_) {
        fast_.push_back(static_cast<std::size_t>(table.fast));
        table.fast = 0;
    }
    if (most_stores(code) > 0) entries_ = static_cast<std::size_t>(write_buffer_entries(code).lo);
}

SlottedState SlottedSteps::start(const std::vector<std::size_t>& tables,
                                 const std::vector<std::int64_t>& offsets) {
    SlottedState state;
    state.ports.assign(units_, 0);
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const SchedulerSlots& table = tables_[tables[i]];
        SlottedScheduler& scheduler = state.schedulers.emplace_back();
        scheduler.slots = tables[i];
        scheduler.offset = offsets[i];
        scheduler.ports.assign(units_, 0);
        scheduler.warps.resize(static_cast<std::size_t>(table.warp_slots));
        const std::size_t fast = fast_[tables[i]];
        for (std::size_t slot = 0; slot < static_cast<std::size_t>(table.taken); ++slot) {
            const std::size_t place = slot == fast ? 0 : slot < fast ? slot + 1 : slot;
            scheduler.warps[place].state = PathStates::first;
        }
        scheduler.first = first_issue(state, scheduler);
    }
    return state;
}

std::int64_t SlottedSteps::next_own(const SlottedScheduler& scheduler, std::size_t place,
                                    std::int64_t cycle) const {
    return tables_[scheduler.slots].next_own(static_cast<std::int64_t>(place),
                                             scheduler.offset + cycle) -
           scheduler.offset;
}

std::int64_t SlottedSteps::shared_free_from(const SlottedState& state,
                                            const SlottedScheduler& scheduler,
                                            const SharedUse& use) const {
    std::int64_t free = scheduler.free_from;
    if (use.port == SharedUse::Port::OfScheduler) free = std::max(free, scheduler.ports[use.unit]);
    if (use.port == SharedUse::Port::OfMultiprocessor) free = std::max(free, state.ports[use.unit]);
    // The entry that has to drain first.
    if (use.stores && state.drains.size() >= entries_)
        free = std::max(free, state.drains[state.drains.size() - entries_]);
    return free;
}

std::optional<SlottedScheduler::Issue>
SlottedSteps::first_issue(const SlottedState& state, const SlottedScheduler& scheduler) const {
    std::optional<SlottedScheduler::Issue> first;
    for (std::size_t place = 0; place < scheduler.warps.size(); ++place) {
        const SlottedScheduler::Warp& warp = scheduler.warps[place];
        if (warp.state == PathStates::ended) continue;
        const std::int64_t own =
            next_own(scheduler, place,
                     std::max(warp.since + path_.ready(warp.state),
                              shared_free_from(state, scheduler, path_.use(warp.state))));
        if (!first || own < first->cycle) first = {own, place};
    }
    return first;
}

std::optional<std::int64_t> SlottedSteps::next_cycle(SlottedState& state) const {
    while (true) {
        SlottedScheduler* next = nullptr;
        for (SlottedScheduler& scheduler : state.schedulers)
            if (scheduler.first && (next == nullptr || scheduler.first->cycle < next->first->cycle))
                next = &scheduler;
        if (next == nullptr) return std::nullopt;
        // Others may have taken what it needs.
        const std::int64_t cycle = next->first->cycle;
        next->first = first_issue(state, *next);
        if (next->first->cycle == cycle) return cycle;
    }
}

std::uint64_t SlottedSteps::issuing_in(std::int64_t cycle, SlottedState& state) const {
    std::uint64_t schedulers = 0;
    for (std::size_t i = 0; i < state.schedulers.size(); ++i) {
        SlottedScheduler& scheduler = state.schedulers[i];
        if (!scheduler.first || scheduler.first->cycle != cycle) continue;
        scheduler.first = first_issue(state, scheduler);
        if (scheduler.first->cycle == cycle) schedulers |= bit(i);
    }
    return schedulers;
}

const SharedUse& SlottedSteps::wanted(const SlottedState& state, std::size_t scheduler) const {
    const SlottedScheduler& chooses = state.schedulers[scheduler];
    return path_.use(chooses.warps[chooses.first->warp].state);
}

std::uint64_t SlottedSteps::contending(const SlottedState& state, std::uint64_t schedulers,
                                       std::int64_t cycle) const {
    std::map<std::size_t, std::uint64_t> by_port;
    std::map<std::int64_t, std::uint64_t> by_drain;
    std::uint64_t stores = 0;
    std::size_t entering = 0;
    for (std::size_t i = 0; i < state.schedulers.size(); ++i) {
        if ((schedulers & bit(i)) == 0) continue;
        const SharedUse& use = wanted(state, i);
        if (use.port == SharedUse::Port::OfMultiprocessor) by_port[use.unit] |= bit(i);
        if (!use.stores) continue;
        by_drain[use.drain] |= bit(i);
        stores |= bit(i);
        ++entering;
    }
    std::uint64_t contending = 0;
    for (const auto& [unit, users] : by_port)
        if ((users & (users - 1)) != 0) contending |= users;
    if (entering < 2) return contending;
    const auto inside =
        static_cast<std::size_t>(std::count_if(state.drains.begin(), state.drains.end(),
                                               [cycle](std::int64_t end) { return end > cycle; }));
    if (by_drain.size() > 1 || inside + entering > entries_) contending |= stores;
    return contending;
}

bool SlottedSteps::issue_on(SlottedState& state, std::size_t index, std::int64_t cycle) {
    SlottedScheduler& scheduler = state.schedulers[index];
    SlottedScheduler::Warp& warp = scheduler.warps[scheduler.first->warp];
    const SharedUse& use = path_.use(warp.state);
    const std::int64_t busy = models::plus(cycle, use.cycles);
    if (use.port == SharedUse::Port::OfScheduler) scheduler.ports[use.unit] = busy;
    if (use.port == SharedUse::Port::OfMultiprocessor) state.ports[use.unit] = busy;
    state.completion =
        std::max(state.completion, models::plus(cycle, path_.completion(warp.state)));
    if (use.stores) {
        const std::int64_t begin =
            state.drains.empty() ? cycle : std::max(cycle, state.drains.back());
        std::erase_if(state.drains, [cycle](std::int64_t end) { return end <= cycle; });
        state.drains.push_back(models::plus(begin, use.drain));
        state.completion = std::max(state.completion, state.drains.back());
    }
    const auto after = path_.issue_after(warp.state, cycle - warp.since);
    if (!after) return false;
    warp = {*after, cycle};
    scheduler.free_from = models::plus(cycle, tables_[scheduler.slots].duration);
    scheduler.first = first_issue(state, scheduler);
    return true;
}

std::int64_t SlottedSteps::issues(const SlottedState& state) const {
    std::int64_t issues = 0;
    for (const SlottedScheduler& scheduler : state.schedulers)
        for (const SlottedScheduler::Warp& warp : scheduler.warps)
            issues += static_cast<std::int64_t>(path_.issued(warp.state));
    return issues;
}

/// A wait lasts until the first cycle that it allows in a time slot of the warp. The warp issues
/// not before what warps share allows it now, for that is only taken further.
PathState SlottedSteps::seen_in(const SlottedState& state, const SlottedScheduler& scheduler,
                                std::size_t place, std::int64_t cycle) {
    const SlottedScheduler::Warp& warp = scheduler.warps[place];
    if (warp.state == PathStates::ended) return warp.state;
    const SchedulerSlots& table = tables_[scheduler.slots];
    const std::int64_t shared =
        left_at(cycle, shared_free_from(state, scheduler, path_.use(warp.state)));
    const std::int64_t position =
        (scheduler.offset + cycle) % (table.repeats_after() * table.duration);
    if (seen_.size() >= most_remembered) seen_.clear();
    const auto [known, is_new] = seen_.try_emplace(
        {static_cast<std::int64_t>(warp.state), cycle - warp.since, shared,
         static_cast<std::int64_t>(scheduler.slots), static_cast<std::int64_t>(place), position},
        PathStates::ended);
    if (!is_new) return known->second;
    const auto own_after = [&](std::int64_t cycles) {
        return next_own(scheduler, place, cycle + cycles) - cycle;
    };
    const std::int64_t issue =
        own_after(std::max(shared, left_at(cycle, warp.since + path_.ready(warp.state))));
    return known->second = path_.seen_from(warp.state, issue, [&](std::int64_t cycles) {
        return own_after(left_at(cycle, warp.since + cycles));
    });
}

void SlottedSteps::describe(const SlottedState& state, const SlottedScheduler& scheduler,
                            std::int64_t cycle, std::vector<std::int64_t>& numbers) {
    const SchedulerSlots& table = tables_[scheduler.slots];
    const bool has_ended =
        std::all_of(scheduler.warps.begin(), scheduler.warps.end(),
                    [](const auto& warp) { return warp.state == PathStates::ended; });
    const auto add = [&](std::int64_t number) { numbers.push_back(has_ended ? 0 : number); };
    numbers.push_back(static_cast<std::int64_t>(scheduler.slots));
    // After `every` time slots the fast warp slot has the same ones, and the others go on in turn.
    const std::int64_t at = scheduler.offset + cycle;
    add(table.warp_slots == 1 ? 0 : at % (table.every * table.duration));
    add(left_at(cycle, scheduler.free_from));
    for (const std::int64_t port : scheduler.ports)
        add(left_at(cycle, port));
    add(static_cast<std::int64_t>(seen_in(state, scheduler, 0, cycle)));
    if (table.warp_slots == 1) return;
    const std::int64_t others = table.warp_slots - 1;
    const std::int64_t turn = turn_of_others(table, at);
    for (std::int64_t i = 0; i < others; ++i)
        add(static_cast<std::int64_t>(
            seen_in(state, scheduler, static_cast<std::size_t>(1 + (turn + i) % others), cycle)));
}

std::vector<std::int64_t> SlottedSteps::description(const SlottedState& state, std::int64_t cycle) {
    std::vector<std::vector<std::int64_t>> schedulers;
    for (const SlottedScheduler& scheduler : state.schedulers)
        describe(state, scheduler, cycle, schedulers.emplace_back());
    std::sort(schedulers.begin(), schedulers.end());
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(schedulers.size())};
    for (const auto& scheduler : schedulers)
        numbers.insert(numbers.end(), scheduler.begin(), scheduler.end());
    for (const std::int64_t port : state.ports)
        numbers.push_back(left_at(cycle, port));
    for (const std::int64_t end : state.drains)
        if (end > cycle) numbers.push_back(end - cycle);
    return numbers;
}

SlottedState SlottedSteps::described(const std::vector<std::int64_t>& numbers) const {
    SlottedState state;
    auto next = numbers.begin();
    const auto take = [&next](std::size_t count) {
        const auto begin = std::exchange(next, next + static_cast<std::ptrdiff_t>(count));
        return std::vector<std::int64_t>(begin, next);
    };
    for (std::int64_t left = *next++; left > 0; --left) {
        SlottedScheduler& scheduler = state.schedulers.emplace_back();
        scheduler.slots = static_cast<std::size_t>(*next++);
        scheduler.offset = *next++;
        scheduler.free_from = *next++;
        scheduler.ports = take(units_);
        const SchedulerSlots& table = tables_[scheduler.slots];
        const auto others = static_cast<std::size_t>(table.warp_slots - 1);
        scheduler.warps.resize(others + 1);
        const auto state_at = [&](std::size_t place) {
            scheduler.warps[place].state = static_cast<PathState>(*next++);
        };
        state_at(0);
        const auto turn =
            others == 0 ? 0 : static_cast<std::size_t>(turn_of_others(table, scheduler.offset));
        for (std::size_t i = 0; i < others; ++i)
            state_at(1 + (turn + i) % others);
    }
    state.ports = take(units_);
    state.drains.assign(next, numbers.end());
    for (SlottedScheduler& scheduler : state.schedulers)
        scheduler.first = first_issue(state, scheduler);
    return state;
}

} // namespace warpbound::certification::verify

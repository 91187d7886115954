/// \file
/// What accesses through caches cost, and how many of them can be under way (steps S26 and S29 of
/// docs/soundness.md).
#include "certification/verify/interference/demand.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

bool is_load(const Timing& timing) {
    return timing.through_caches && !timing.enters_write_buffer;
}

} // namespace

/// What the accesses of a warp may make anybody wait, itself included.
void WarpCosts::add_accesses(const MemoryParameters& memory) {
    using models::Cycles;
    // Of so many cycles for each line, divided among those that go on together.
    const auto share = [](const Timing& timing, std::int64_t cycles, std::int64_t among) {
        const std::int64_t whole = models::times(timing.passes.hi, cycles);
        return whole / among + (whole % among == 0 ? 0 : 1);
    };
    const Cycles stored =
        Cycles{memory.link_service} + Cycles{memory.slice_service} + Cycles{memory.transfer};
    const Cycles loaded = stored + Cycles{memory.link_service} + Cycles{memory.l1_service};
    add(loads, [&](const Timing& timing, std::size_t) -> std::int64_t {
        if (!is_load(timing)) return 0;
        const std::int64_t apart = std::max(timing.pass_cost.hi, memory.l1_service);
        // Lines behind the first arrive that far apart, or are served as they came.
        return (loaded * timing.passes.hi +
                Cycles{apart - memory.l1_service} * (timing.passes.hi - 1))
            .count();
    });
    add(stores, [&](const Timing& timing, std::size_t) -> std::int64_t {
        if (!timing.enters_write_buffer) return 0;
        return (stored * (timing.through_caches ? timing.passes.hi : 0) + Cycles{1}).count();
    });
    add(entries, [&](const Timing& timing, std::size_t) {
        return is_load(timing) ? share(timing, memory.way, memory.holders) : 0;
    });
    add(link, [&](const Timing& timing, std::size_t) {
        return timing.through_caches ? share(timing, memory.transit, memory.link_places) : 0;
    });
    add(refreshes, [&](const Timing& timing, std::size_t) {
        return timing.through_caches ? share(timing, memory.refresh, 1) : 0;
    });
}

/// What is over between two slots is found in the next one.
void WarpCosts::add_ends_between(const SlotRange& slots) {
    add(loads_between,
        [&](const Timing& timing, std::size_t) { return is_load(timing) ? slots.longest - 1 : 0; });
    add(stores_between, [&](const Timing& timing, std::size_t) {
        return timing.enters_write_buffer ? slots.longest - 1 : 0;
    });
}

std::int64_t WarpCosts::most_loads() const {
    return most_of(
        [](const Timing& timing, std::size_t) -> std::int64_t { return is_load(timing) ? 1 : 0; });
}

std::int64_t WarpCosts::most_lines(bool of_loads, bool of_stores) const {
    return most_of([&](const Timing& timing, std::size_t) -> std::int64_t {
        const bool counts = timing.enters_write_buffer ? of_stores : of_loads;
        return timing.through_caches && counts ? timing.passes.hi : 0;
    });
}

// A load waits for the last one of the warp that writes its register (C5), or that released the
// scoreboard by which it is waited for itself (C6).
std::optional<std::int64_t> WarpCosts::under_way(const Cost& count) const {
    const bool interlocked =
        kernel_.architecture.issue_control == models::IssueControl::Interlocked;
    std::map<std::pair<std::optional<assembly::Register>, int>, std::int64_t> together;
    for (std::size_t i = 0; i < timings_.size(); ++i) {
        if (!live_[i]) continue;
        const Timing& timing = timings_[i].value();
        if (!is_load(timing)) continue;
        const assembly::Instruction& load = kernel_.function->instructions[i];
        std::pair<std::optional<assembly::Register>, int> waits_for{std::nullopt, -1};
        if (interlocked && !load.effects.writes.empty())
            waits_for.first = load.effects.writes.front();
        else if (!interlocked && load.control && load.control->write_barrier &&
                 (load.control->wait_mask >> *load.control->write_barrier & 1) != 0)
            waits_for.second = *load.control->write_barrier;
        else
            return std::nullopt;
        std::int64_t& most = together[waits_for];
        most = std::max(most, count(timing, i));
    }
    models::Cycles sum{0};
    for (const auto& [waits_for, most] : together)
        sum += models::Cycles{most};
    return sum.count();
}

std::optional<std::int64_t> WarpCosts::outstanding_lines() const {
    return under_way([](const Timing& timing, std::size_t) { return timing.passes.hi; });
}

std::optional<std::int64_t> WarpCosts::outstanding_loads() const {
    return under_way([](const Timing&, std::size_t) -> std::int64_t { return 1; });
}

} // namespace warpbound::certification::verify

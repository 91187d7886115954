#include "certification/verify/interference/demand.hpp"

#include "certification/verify/flow/path_problem.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// A block's sum as a table: one node per block, its cost on every way out.
Certificate sum_table(const ControlFlow& flow, const std::vector<bool>& live,
                      const std::vector<std::int64_t>& costs, bool upper) {
    Certificate certificate;
    certificate.upper = upper;
    std::vector<std::size_t> node(flow.blocks.size(), SIZE_MAX);
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        if (live[block]) {
            node[block] = certificate.nodes.size();
            certificate.nodes.push_back({block, std::nullopt});
            if (flow.blocks[block].exits) certificate.nodes.back().end = costs[block];
        }
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        for (const std::size_t to : flow.blocks[block].successors)
            if (live[block] && live[to])
                certificate.edges.push_back({node[block], node[to], costs[block]});
    return certificate;
}

bool is_upper(const std::string& certificate) {
    return certificate.rfind("execution-time-upper", 0) == 0;
}

std::int64_t occupied(const Timing& timing) {
    return models::times(timing.initiation.hi, timing.passes.hi);
}

} // namespace

WarpCosts::WarpCosts(const KernelCase& kernel, const SideFlows& flows, const LaunchGeometry& shape,
                     const std::vector<SlotRange>& slots)
    : kernel_{kernel}, flow_{flows.of(true)}, below_{flows.of(false)}, shape_{shape},
      timings_{models::instruction_timings(*kernel.function, kernel.architecture, kernel.facts)},
      live_(timings_.size(), false) {
    // The costs count what can be reached, whether or not it can still end.
    std::vector<std::size_t> work{0};
    std::vector<bool> seen(below_.blocks.size(), false);
    seen[0] = true;
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        for (std::size_t i = below_.first[block]; i <= below_.last[block]; ++i)
            live_[i] = true;
        for (const std::size_t to : below_.blocks[block].successors)
            if (!seen[to] && !below_.never[to]) {
                seen[to] = true;
                work.push_back(to);
            }
    }
    for (std::size_t i = 0; i < live_.size(); ++i)
        if (live_[i] && !timings_[i])
            throw Finding{Verdict::Failed, kernel.id + ": " + to_string(timings_[i].error())};
    add_all();
    for (std::size_t i = 0; i < live_.size() && !memory_; ++i)
        if (live_[i] && timings_[i].value().through_caches)
            memory_ = read_memory_parameters(kernel, shape.multiprocessors);
    if (memory_) add_accesses(*memory_);
    if (memory_ && !slots.empty()) add_ends_between(all_of(slots));
    if (kernel.policy.kind == models::PolicyKind::LooseRoundRobin && !memory_) add_by_turns();
    if (models::guarantee_of(kernel.policy) == models::PolicyGuarantee::OrderForced)
        add_strict_turns();
    if (models::guarantee_of(kernel.policy) == models::PolicyGuarantee::SetLimited)
        add_active_set();
    for (const SlotRange& range : slots)
        add_slotted(kind_of(range), {range});
    if (!slots.empty()) add_slotted(in_any_warp_slot, slots);
}

std::int64_t WarpCosts::drain_of(const Timing& timing, bool upper) const {
    if (!timing.enters_write_buffer) return 0;
    const auto* value = kernel_.architecture.write_buffer.find("drain");
    if (value == nullptr || !value->interval)
        throw Finding{Verdict::Failed, kernel_.id + ": write-buffer/drain is unknown"};
    return upper ? models::times(value->interval->hi, timing.passes.hi)
                 : models::times(value->interval->lo, timing.passes.lo);
}

void WarpCosts::add_all() {
    const auto& units = kernel_.architecture.units;
    const auto scope = [&](const Timing& timing) { return units[timing.unit].scope; };
    const auto surely = [&](std::size_t i) {
        const auto& guard = kernel_.function->instructions[i].guard;
        return !guard || guard->always();
    };
    const models::Interval& slot = shape_.issue_slot;
    add(same, [&](const Timing& timing, std::size_t) {
        return scope(timing) == models::UnitScope::Warp ? slot.hi
                                                        : std::max(slot.hi, occupied(timing));
    });
    add(other, [&](const Timing& timing, std::size_t) {
        return scope(timing) == models::UnitScope::Core ? occupied(timing) : 0;
    });
    add(upper_drain, [&](const Timing& timing, std::size_t) { return drain_of(timing, true); });
    add(lower_drain, [&](const Timing& timing, std::size_t i) {
        return surely(i) ? drain_of(timing, false) : 0;
    });
    add(issue_slots, [&](const Timing& timing, std::size_t) {
        return timing.gap.lo > 0 && timing.gap_taken.lo > 0 ? slot.lo : 0;
    });
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        add(port + units[unit].name, [&](const Timing& timing, std::size_t i) {
            return timing.unit == unit && surely(i)
                       ? models::times(timing.initiation.lo, timing.passes.lo)
                       : 0;
        });
}

models::Interval WarpCosts::buffer_entries() const {
    const auto room = models::require(kernel_.architecture, kernel_.architecture.write_buffer,
                                      "write-buffer", "entries");
    if (!room) throw Finding{Verdict::Failed, kernel_.id + ": " + to_string(room.error())};
    return room.value();
}

bool WarpCosts::stores_fill_buffer() const {
    const std::int64_t most = models::times(most_stores(), shape_.warps);
    return most > 0 && most > buffer_entries().lo;
}

/// What makes a warp of which everybody else of its scheduler had a turn wait for another one.
void WarpCosts::add_by_turns() {
    const auto& units = kernel_.architecture.units;
    const std::int64_t resident = models::times(shape_.resident, shape_.warps_per_block);
    const std::int64_t on_scheduler = shape_.per_scheduler(resident);
    by_turns_ = fmt::format("-round-robin-of-{}", on_scheduler);
    const models::Cycles turns = models::Cycles{shape_.issue_slot.hi} * (on_scheduler - 1);
    const auto with_turns = [turns](std::int64_t cycles) {
        return (models::Cycles{cycles} + turns).count();
    };
    const auto is_of_others = [&](const Timing& timing) {
        return on_scheduler < resident && units[timing.unit].scope == models::UnitScope::Core &&
               occupied(timing) > 0;
    };
    add(same + by_turns_, [&](const Timing& timing, std::size_t) -> std::int64_t {
        const bool outlasts = units[timing.unit].scope != models::UnitScope::Warp &&
                              occupied(timing) > shape_.issue_slot.lo;
        return outlasts || is_of_others(timing) ? with_turns(occupied(timing)) : 0;
    });
    add(other + by_turns_, [&](const Timing& timing, std::size_t) -> std::int64_t {
        return is_of_others(timing) ? with_turns(occupied(timing)) : 0;
    });
    // No turn ends at the buffer while all stores of the launch fit.
    const bool fills = stores_fill_buffer();
    add(upper_drain + by_turns_, [&](const Timing& timing, std::size_t) {
        const std::int64_t drain = drain_of(timing, true);
        return fills && timing.enters_write_buffer ? with_turns(drain) : drain;
    });
}

/// Time that a warp's instruction takes from another warp in slots that this one loses: all points
/// that its port or its entry in the write buffer covers.
void WarpCosts::add_slotted(const std::string& kind, const std::vector<SlotRange>& places) {
    const auto& units = kernel_.architecture.units;
    const auto points_held = [&](const Timing& timing) -> std::int64_t {
        std::int64_t most = 0;
        if (units[timing.unit].scope == models::UnitScope::Warp) return most;
        const std::int64_t cycles = occupied(timing);
        for (const SlotRange& range : places) {
            const std::int64_t covered =
                cycles / range.shortest + (cycles % range.shortest == 0 ? 0 : 1);
            most = std::max(most, models::times(covered, range.longest));
        }
        return most;
    };
    // Free again one slot later is free at the end of the next slot of the scheduler.
    const auto same_scheduler = [&](const Timing& timing) {
        return occupied(timing) > shape_.issue_slot.hi ? points_held(timing) : 0;
    };
    const auto other_scheduler = [&](const Timing& timing) {
        return units[timing.unit].scope == models::UnitScope::Core ? points_held(timing) : 0;
    };
    add(ports_same + kind,
        [&](const Timing& timing, std::size_t) { return same_scheduler(timing); });
    add(ports_other + kind,
        [&](const Timing& timing, std::size_t) { return other_scheduler(timing); });
    add(ports + kind, [&](const Timing& timing, std::size_t) {
        return std::max(same_scheduler(timing), other_scheduler(timing));
    });
    // One slot, and those that pass while it drains: each is as long as its place says, and so many
    // in all as the closest slots allow.
    const SlotRange any = all_of(places);
    add(buffer + kind, [&](const Timing& timing, std::size_t) -> std::int64_t {
        if (!timing.enters_write_buffer) return 0;
        const std::int64_t drain = drain_of(timing, true);
        std::int64_t meanwhile = 0;
        for (const SlotRange& range : places)
            meanwhile = std::max(meanwhile, models::times(drain, range.longest) / range.shortest);
        meanwhile = std::min(meanwhile, models::times(drain / any.shortest, any.longest));
        return (models::Cycles{any.longest} + models::Cycles{meanwhile}).count();
    });
}

void WarpCosts::add(const std::string& certificate, const Cost& cost) {
    std::vector<std::int64_t>& costs = costs_[certificate];
    costs.clear();
    for (std::size_t i = 0; i < timings_.size(); ++i)
        costs.push_back(live_[i] ? cost(timings_[i].value(), i) : 0);
}

std::vector<std::int64_t> WarpCosts::per_block(const std::string& certificate) const {
    return sums_of(costs_.at(certificate), is_upper(certificate) ? flow_ : below_);
}

std::vector<std::int64_t> WarpCosts::sums_of(const std::vector<std::int64_t>& costs,
                                             const ControlFlow& flow) {
    std::vector<std::int64_t> sums;
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        models::Cycles sum{0};
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i)
            sum += models::Cycles{costs[i]};
        sums.push_back(sum.count());
    }
    return sums;
}

std::int64_t WarpCosts::most_of(const Cost& count) const {
    std::vector<std::int64_t> counts(timings_.size(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (live_[i]) counts[i] = count(timings_[i].value(), i);
    const std::vector<bool> live = live_blocks(flow_, std::nullopt);
    const Certificate most = sum_table(flow_, live, sums_of(counts, flow_), true);
    return PathProblem{flow_, most}.best().value_or(0);
}

std::int64_t WarpCosts::most_stores() const {
    return most_of([](const Timing& timing, std::size_t) -> std::int64_t {
        return timing.enters_write_buffer ? 1 : 0;
    });
}

std::int64_t WarpCosts::largest(const std::string& certificate) const {
    const std::vector<std::int64_t>& costs = costs_.at(certificate);
    return costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
}

std::int64_t WarpCosts::straddle(const std::string& kind) const {
    const models::Cycles longest{largest(same + kind)};
    // By turns: the slot of the warp that was in the place before may run on.
    return kind.empty() ? longest.count()
                        : (longest + models::Cycles{shape_.issue_slot.hi - 1}).count();
}

std::int64_t WarpCosts::barriers() const {
    if (shape_.warps_per_block == 1) return 0;
    const std::vector<bool> live = live_blocks(flow_, std::nullopt);
    models::Cycles passed{0};
    for (std::size_t block = 0; block < flow_.blocks.size(); ++block) {
        std::int64_t here = 0;
        for (std::size_t i = flow_.first[block]; i <= flow_.last[block]; ++i)
            if (live[block] && timings_[i].value().is_barrier_wait) {
                if (assembly::is_guarded(kernel_.function->instructions[i]))
                    throw Finding{Verdict::Failed,
                                  fmt::format("{}: the barrier at 0x{:04x} is guarded", kernel_.id,
                                              kernel_.function->instructions[i].address)};
                ++here;
            }
        if (here == 0) continue;
        std::vector<std::int64_t> visits(flow_.blocks.size(), 0);
        visits[block] = 1;
        const Certificate most = sum_table(flow_, live, visits, true);
        const Certificate fewest = sum_table(flow_, live, visits, false);
        const auto times = PathProblem{flow_, most}.best();
        if (times != PathProblem{flow_, fewest}.best())
            throw Finding{Verdict::Failed,
                          fmt::format("{}: paths pass the barrier in block 0x{:04x} "
                                      "unequally often",
                                      kernel_.id, flow_.blocks[block].first)};
        passed += models::Cycles{here} * times.value_or(0);
    }
    return passed.count();
}

std::vector<const Timing*> WarpCosts::clock_reads(std::size_t block) const {
    std::vector<const Timing*> reads;
    for (std::size_t i = below_.first.at(block); i <= below_.last.at(block); ++i)
        if (kernel_.function->instructions[i].opcode_class == assembly::OpcodeClass::ClockRead)
            reads.push_back(&timings_[i].value());
    return reads;
}

} // namespace warpbound::certification::verify

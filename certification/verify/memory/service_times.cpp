#include "certification/verify/memory/service_times.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// `cycles` for each line of an access, divided among so many that proceed at the same time;
/// rounded up.
std::int64_t shared_cycles(const Timing& timing, std::int64_t cycles, std::int64_t among) {
    const std::int64_t all = models::times(timing.passes.hi, cycles);
    return all / among + (all % among == 0 ? 0 : 1);
}

bool contains(const std::vector<std::size_t>& all, std::size_t instruction) {
    return std::find(all.begin(), all.end(), instruction) != all.end();
}

/// C85: whether a load that waits for a scoreboard may issue before it sees that the instruction
/// before it has begun an operation there. Any instruction may follow a control transfer and, where
/// other lanes continue (C39), the first of a block the last of any.
bool may_miss_increment(const TimedCode& code, std::size_t load, int scoreboard) {
    const models::SourcedValue* delay = code.kernel.architecture.schedulers.find("counter-delay");
    if (delay == nullptr || !delay->interval || delay->interval->hi < 1) return false;
    const auto& instructions = code.kernel.function->instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const assembly::Instruction& before = instructions[i];
        const bool begins = before.control && (before.control->write_barrier == scoreboard ||
                                               before.control->read_barrier == scoreboard);
        if (!begins || !code.reachable[i]) continue;
        const bool precedes =
            i + 1 == load || before.control_flow != assembly::ControlFlow::None ||
            (contains(code.lower_flow.first, load) && contains(code.lower_flow.last, i));
        const Timing& timing = code.timings[i].value();
        const std::int64_t distance =
            std::max(std::min(timing.gap.lo, timing.gap_taken.lo), code.geometry.issue_slot.lo);
        if (precedes && distance <= delay->interval->hi) return true;
    }
    return false;
}

/// The register (C5) or scoreboard (C6) by which a load waits for the last load of the warp that
/// has the same; none where it may miss its increment, or has neither.
struct WaitsFor {
    std::optional<assembly::Register> written;
    std::optional<int> scoreboard;
    friend auto operator<=>(const WaitsFor&, const WaitsFor&) = default;
};

std::optional<WaitsFor> wait_of(const TimedCode& code, std::size_t i) {
    const assembly::Instruction& load = code.kernel.function->instructions[i];
    if (code.kernel.architecture.issue_control == models::IssueControl::Interlocked) {
        if (load.effects.writes.empty()) return std::nullopt;
        return WaitsFor{load.effects.writes.front(), std::nullopt};
    }
    if (!load.control || !load.control->write_barrier ||
        (load.control->wait_mask >> *load.control->write_barrier & 1) == 0 ||
        may_miss_increment(code, i, *load.control->write_barrier))
        return std::nullopt;
    return WaitsFor{std::nullopt, *load.control->write_barrier};
}

/// What limits the loads that can be outstanding at the same time: of those that wait for each
/// other the largest counts.
std::optional<std::int64_t> outstanding(const TimedCode& code, const InstructionDemand& amount) {
    std::map<WaitsFor, std::int64_t> one_at_a_time;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const Timing& timing = code.timings[i].value();
        if (!is_load_through_caches(timing)) continue;
        const auto waits_for = wait_of(code, i);
        if (!waits_for) return std::nullopt;
        std::int64_t& most = one_at_a_time[*waits_for];
        most = std::max(most, amount(timing, i));
    }
    models::Cycles sum{0};
    for (const auto& [waits_for, most] : one_at_a_time)
        sum += models::Cycles{most};
    return sum.count();
}

} // namespace

bool is_load_through_caches(const Timing& timing) {
    return timing.through_caches && !timing.enters_write_buffer;
}

bool waits_for_itself(const TimedCode& code, std::size_t load) {
    return wait_of(code, load).has_value();
}

DemandTables service_demand_of(const TimedCode& code, const MemoryParameters& memory) {
    namespace ids = certificate_id;
    using models::Cycles;
    const Cycles store_line =
        Cycles{memory.link_service} + Cycles{memory.slice_service} + Cycles{memory.transfer};
    const Cycles load_line = store_line + Cycles{memory.link_service} + Cycles{memory.l1_service};
    DemandTables tables;
    tables[ids::loads] = demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
        if (!is_load_through_caches(timing)) return 0;
        // Lines after the first one arrive a pass cost apart, or are served one after another.
        const std::int64_t spacing = std::max(timing.pass_cost.hi, memory.l1_service);
        return (load_line * timing.passes.hi +
                Cycles{spacing - memory.l1_service} * (timing.passes.hi - 1))
            .count();
    });
    tables[ids::stores] =
        demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
            if (!timing.enters_write_buffer) return 0;
            return (store_line * (timing.through_caches ? timing.passes.hi : 0) + Cycles{1})
                .count();
        });
    tables[ids::mshr] = demand_table(code, [&](const Timing& timing, std::size_t) {
        return is_load_through_caches(timing)
                   ? shared_cycles(timing, memory.unloaded, memory.outstanding_while_full)
                   : 0;
    });
    tables[ids::link_queue] = demand_table(code, [&](const Timing& timing, std::size_t) {
        return timing.through_caches
                   ? shared_cycles(timing, memory.transit, memory.link_queue_entries)
                   : 0;
    });
    tables[ids::refreshes] = demand_table(code, [&](const Timing& timing, std::size_t) {
        return timing.through_caches ? shared_cycles(timing, memory.refresh, 1) : 0;
    });
    return tables;
}

DemandTables slot_boundary_demand_of(const TimedCode& code, std::int64_t longest_distance) {
    DemandTables tables;
    tables[certificate_id::loads_between_slots] =
        demand_table(code, [&](const Timing& timing, std::size_t) {
            return is_load_through_caches(timing) ? longest_distance - 1 : 0;
        });
    tables[certificate_id::stores_between_slots] =
        demand_table(code, [&](const Timing& timing, std::size_t) {
            return timing.enters_write_buffer ? longest_distance - 1 : 0;
        });
    return tables;
}

std::int64_t most_loads(const TimedCode& code) {
    return largest_path_demand(code, [](const Timing& timing, std::size_t) -> std::int64_t {
        return is_load_through_caches(timing) ? 1 : 0;
    });
}

std::int64_t most_lines(const TimedCode& code, bool of_loads, bool of_stores) {
    return largest_path_demand(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
        const bool counts = timing.enters_write_buffer ? of_stores : of_loads;
        return timing.through_caches && counts ? timing.passes.hi : 0;
    });
}

std::optional<std::int64_t> outstanding_loads(const TimedCode& code) {
    return outstanding(code, [](const Timing&, std::size_t) -> std::int64_t { return 1; });
}

std::optional<std::int64_t> outstanding_lines(const TimedCode& code) {
    return outstanding(code, [](const Timing& timing, std::size_t) { return timing.passes.hi; });
}

} // namespace warpbound::certification::verify

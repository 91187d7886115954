#include "certification/verify/memory/service_times.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// S21, case e, 3: of the loads that write one register (C5), or wait for one scoreboard and are
/// announced by it (C6), one is outstanding at a time. None: nothing keeps a load from being
/// outstanding twice.
std::optional<std::string> taken_by(const TimedCode& code, std::size_t i) {
    const assembly::Instruction& load = code.kernel.function->instructions[i];
    const auto& written = load.effects.writes;
    if (code.kernel.architecture.issue_control == models::IssueControl::Interlocked)
        return written.empty() ? std::nullopt : std::optional{to_string(written.front())};
    const auto scoreboard = load.control ? load.control->write_barrier : std::nullopt;
    const bool waits = scoreboard && (load.control->wait_mask & (1 << *scoreboard)) != 0;
    if (!waits || may_miss_increment(code, i, *scoreboard)) return std::nullopt;
    return "scoreboard " + std::to_string(*scoreboard);
}

/// The most that loads in flight together can have: no two of these are taken by the same register
/// or scoreboard. Those with the most are flown first.
std::optional<std::int64_t> most_in_flight(const TimedCode& code,
                                           const InstructionDemand& of_load) {
    std::vector<std::pair<std::int64_t, std::string>> loads;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i] || !is_load_through_caches(code.timings[i].value())) continue;
        const auto taken = taken_by(code, i);
        if (!taken) return std::nullopt;
        loads.emplace_back(of_load(code.timings[i].value(), i), *taken);
    }
    std::sort(loads.begin(), loads.end(), std::greater<>{});
    std::set<std::string> taken;
    std::int64_t in_flight = 0;
    for (const auto& [amount, by] : loads)
        if (taken.insert(by).second) in_flight = models::plus(in_flight, amount);
    return in_flight;
}

} // namespace

bool is_load_through_caches(const Timing& timing) {
    return timing.through_caches && !timing.enters_write_buffer;
}

bool waits_for_itself(const TimedCode& code, std::size_t load) {
    return taken_by(code, load).has_value();
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

std::optional<std::int64_t> loads_in_flight_of_warp(const TimedCode& code) {
    return most_in_flight(code, [](const Timing&, std::size_t) -> std::int64_t { return 1; });
}

std::optional<std::int64_t> lines_in_flight_of_warp(const TimedCode& code) {
    return most_in_flight(code, [](const Timing& timing, std::size_t) { return timing.passes.hi; });
}

} // namespace warpbound::certification::verify

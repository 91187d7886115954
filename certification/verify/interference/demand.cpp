#include "certification/verify/interference/demand.hpp"

#include "assembly/isa/target.hpp"
#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/flow/path_problem.hpp"
#include "certification/verify/machine_values.hpp"
#include "harness/simulated_identity.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

std::vector<bool> reachable_instructions(const ControlFlow& flow, std::size_t instructions) {
    std::vector<bool> reachable(instructions, false);
    std::vector<std::size_t> work{0};
    std::vector<bool> seen(flow.blocks.size(), false);
    seen[0] = true;
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i)
            reachable[i] = true;
        for (const std::size_t to : flow.blocks[block].successors)
            if (!seen[to] && !flow.never[to]) {
                seen[to] = true;
                work.push_back(to);
            }
    }
    return reachable;
}

std::vector<std::int64_t> sums_per_block(const DemandTable& table, const ControlFlow& flow) {
    std::vector<std::int64_t> sums;
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        models::Cycles sum{0};
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i)
            sum += models::Cycles{table[i]};
        sums.push_back(sum.count());
    }
    return sums;
}

bool has_port_of(models::UnitScope scope, const TimedCode& code, const Timing& timing) {
    return code.kernel.architecture.units[timing.unit].scope == scope;
}

} // namespace

bool has_simulated_runs(const KernelCase& kernel) {
    return std::any_of(kernel.series.begin(), kernel.series.end(), [](const Series& series) {
        return series.key.device.starts_with(harness::simulated_prefix);
    });
}

TimedCode timed_code(const KernelCase& kernel, const SideFlows& flows,
                     const LaunchGeometry& geometry) {
    TimedCode code{kernel,
                   flows.of(true),
                   flows.of(false),
                   geometry,
                   models::instruction_timings(*kernel.function, kernel.architecture, kernel.facts,
                                               kernel.launch.threads),
                   {}};
    code.represented_flow =
        flows.of_representatives ? &*flows.of_representatives : &flows.of(false);
    code.represented = geometry;
    if (flows.of_representatives)
        code.represented = only_blocks(geometry, kernel.facts.representative->blocks());
    code.reachable = reachable_instructions(code.lower_flow, code.timings.size());
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        if (code.reachable[i] && !code.timings[i])
            refuted(kernel.id + ": " + to_string(code.timings[i].error()));
    return code;
}

DemandTable demand_table(const TimedCode& code, const InstructionDemand& demand) {
    DemandTable table;
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        table.push_back(code.reachable[i] ? demand(code.timings[i].value(), i) : 0);
    return table;
}

std::vector<std::int64_t> block_sums(const TimedCode& code, const DemandTables& tables,
                                     const std::string& certificate) {
    const bool upper = certificate.rfind(certificate_id::upper_path, 0) == 0;
    return sums_per_block(tables.at(certificate), upper ? code.upper_flow : *code.represented_flow);
}

std::int64_t largest_demand(const DemandTables& tables, const std::string& certificate) {
    const DemandTable& table = tables.at(certificate);
    return table.empty() ? 0 : *std::max_element(table.begin(), table.end());
}

std::int64_t largest_path_demand(const TimedCode& code, const InstructionDemand& demand) {
    const auto sums = sums_per_block(demand_table(code, demand), code.upper_flow);
    return best_block_sum(code.upper_flow, sums, true).value_or(0);
}

std::int64_t least_path_demand(const TimedCode& code, const InstructionDemand& demand) {
    const auto sums = sums_per_block(demand_table(code, demand), *code.represented_flow);
    return std::max<std::int64_t>(0,
                                  best_block_sum(*code.represented_flow, sums, false).value_or(0));
}

namespace {

/// S52: whether the write buffer takes the stores in the order in which one port of the
/// multiprocessor takes them, and nothing waits in the memory system for an access.
bool drains_in_order_of_ports(const TimedCode& code) {
    if (models::guarantee_of(code.kernel.policy) != models::PolicyGuarantee::WorkConserving)
        return false;
    std::vector<std::size_t> units;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const Timing& timing = code.timings[i].value();
        if (timing.through_caches) return false;
        if (!timing.enters_write_buffer) continue;
        if (timing.queue || !is_port_of_multiprocessor(code, timing)) return false;
        units.push_back(timing.unit);
    }
    return std::all_of(units.begin(), units.end(),
                       [&](std::size_t unit) { return unit == units.front(); });
}

/// S52: the use of its port by a store counts with its drain, which is no shorter.
void drop_ports_of_stores(const TimedCode& code, DemandTables& tables) {
    if (!drains_in_order_of_ports(code)) return;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i] || !code.timings[i].value().enters_write_buffer) continue;
        const Timing& timing = code.timings[i].value();
        if (port_occupancy(timing) > drain_time(code, timing, true)) continue;
        tables.at(certificate_id::own_scheduler)[i] = code.geometry.issue_slot.hi;
        tables.at(certificate_id::other_schedulers)[i] = 0;
    }
}

} // namespace

DemandTables work_conserving_demand_of(const TimedCode& code) {
    namespace ids = certificate_id;
    const auto& units = code.kernel.architecture.units;
    const models::Interval& slot = code.geometry.issue_slot;
    const auto always_executes = [&](std::size_t i) {
        const auto& guard = code.kernel.function->instructions[i].guard;
        return !guard || guard->always();
    };
    DemandTables tables;
    tables[ids::own_scheduler] = demand_table(code, [&](const Timing& timing, std::size_t) {
        return is_port_of_warp(code, timing) ? slot.hi : std::max(slot.hi, port_occupancy(timing));
    });
    tables[ids::other_schedulers] = demand_table(code, [&](const Timing& timing, std::size_t) {
        return is_port_of_multiprocessor(code, timing) ? port_occupancy(timing) : 0;
    });
    tables[ids::upper_drain] = demand_table(
        code, [&](const Timing& timing, std::size_t) { return drain_time(code, timing, true); });
    tables[ids::lower_drain] = demand_table(code, [&](const Timing& timing, std::size_t i) {
        return always_executes(i) ? drain_time(code, timing, false) : 0;
    });
    tables[ids::lower_issue_slots] = demand_table(code, [&](const Timing& timing, std::size_t) {
        // C99: a SIMD may issue for several wavefronts in one cycle.
        const bool is_alone = !is_amd(code.kernel.architecture.target);
        return is_alone && timing.gap.lo > 0 && timing.gap_taken.lo > 0 ? slot.lo : 0;
    });
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        tables[ids::lower_port + units[unit].name] =
            demand_table(code, [&](const Timing& timing, std::size_t i) {
                return timing.unit == unit && always_executes(i) ? least_port_occupancy(timing) : 0;
            });
    drop_ports_of_stores(code, tables);
    return tables;
}

std::int64_t with_passes(std::int64_t cycles, const Timing& timing) {
    return models::plus(cycles, models::times(timing.pass_cost.hi, timing.passes.hi - 1));
}

std::int64_t port_occupancy(const Timing& timing) {
    return port_occupancy(timing, timing.passes.hi);
}

std::int64_t port_occupancy(const Timing& timing, std::int64_t passes) {
    if (!timing.line_interval)
        return std::max(timing.least_occupancy.hi, models::times(timing.initiation.hi, passes));
    // C95: an instruction that looks up lines faster than instructions follow each other.
    return std::max({timing.least_occupancy.hi, timing.initiation.hi,
                     models::times(timing.line_interval->hi, passes)});
}

std::int64_t least_port_occupancy(const Timing& timing) {
    const std::int64_t passes = timing.passes.lo;
    const std::int64_t by_lines = timing.line_interval
                                      ? models::times(timing.line_interval->lo, passes)
                                      : models::times(timing.initiation.lo, passes);
    return std::max({timing.least_occupancy.lo, timing.initiation.lo, by_lines});
}

bool is_port_of_warp(const TimedCode& code, const Timing& timing) {
    return has_port_of(models::UnitScope::Warp, code, timing);
}

bool is_port_of_multiprocessor(const TimedCode& code, const Timing& timing) {
    return has_port_of(models::UnitScope::Core, code, timing);
}

std::int64_t occupancy_beyond_slot(const TimedCode& code, const Timing& timing) {
    if (is_port_of_warp(code, timing)) return 0;
    return std::max<std::int64_t>(0, port_occupancy(timing) - code.geometry.issue_slot.lo);
}

std::int64_t longest_port_occupancy(const TimedCode& code) {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const Timing& timing = code.timings[i].value();
        if (!is_port_of_warp(code, timing)) longest = std::max(longest, port_occupancy(timing));
    }
    return longest;
}

std::int64_t drain_time(const TimedCode& code, const Timing& timing, bool upper) {
    if (!timing.enters_write_buffer) return 0;
    const auto* value = code.kernel.architecture.write_buffer.find("drain");
    if (value == nullptr || !value->interval)
        refuted(code.kernel.id + ": write-buffer/drain is unknown");
    const auto end = [&](const models::Interval& of) { return upper ? of.hi : of.lo; };
    const std::int64_t lines = end(timing.passes);
    const std::int64_t by_lines = models::times(end(*value->interval), lines);
    const auto* by_sector = code.kernel.architecture.write_buffer.find("sector-drain");
    if (by_sector == nullptr) return by_lines;
    // C94: of the sectors of all lines no more than there are lanes.
    const KernelCase& kernel = code.kernel;
    const auto* l1 = kernel.architecture.memory("l1");
    if (l1 == nullptr || !by_sector->interval)
        refuted(kernel.id + ": write-buffer/sector-drain is unknown");
    const std::int64_t of_line = known_value(kernel, *l1, "memories/l1", "line").hi /
                                 known_value(kernel, *l1, "memories/l1", "sector").hi;
    const std::int64_t lanes =
        known_value(kernel, kernel.architecture.geometry, "geometry", "warp-size").hi;
    // A fact may say that its lanes touch fewer.
    const std::int64_t touched =
        timing.sector_drain ? std::min(lanes, timing.sector_drain->of_access) : lanes;
    const std::int64_t sectors =
        std::min(touched, models::times(std::max<std::int64_t>(1, of_line), lines));
    return std::max(by_lines, models::times(end(*by_sector->interval), sectors));
}

std::int64_t most_stores(const TimedCode& code) {
    return largest_path_demand(code, [](const Timing& timing, std::size_t) -> std::int64_t {
        return timing.enters_write_buffer ? 1 : 0;
    });
}

models::Interval write_buffer_entries(const TimedCode& code) {
    return known_value(code.kernel, code.kernel.architecture.write_buffer, "write-buffer",
                       "entries");
}

bool stores_exceed_write_buffer(const TimedCode& code) {
    const std::int64_t stores = models::times(most_stores(code), code.geometry.warps);
    return stores > 0 && stores > write_buffer_entries(code).lo;
}

} // namespace warpbound::certification::verify

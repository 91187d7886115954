#include "analyzer/interference/store_ports.hpp"

#include "analyzer/interference/resource_demand.hpp"

#include <optional>

namespace warpbound::analyzer {

namespace {

/// Whether all stores of the kernel pass one port of the multiprocessor, in the order in which they
/// enter the write buffer.
bool stores_share_a_port(const TimedKernel& kernel) {
    std::optional<std::size_t> unit;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!enters_write_buffer(kernel, i)) continue;
        const models::InstructionTiming& timing = kernel.timings[i].value();
        if (timing.queue || !is_shared_by_all(kernel, i)) return false;
        if (unit && *unit != timing.unit) return false;
        unit = timing.unit;
    }
    return unit.has_value();
}

} // namespace

TimedKernel without_ports_of_stores(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                    const MemoryPath& memory) {
    TimedKernel changed = kernel;
    const bool is_work_conserving = launch.guarantee() == models::PolicyGuarantee::WorkConserving;
    if (memory.caches || !is_work_conserving || !stores_share_a_port(kernel)) return changed;
    const InstructionCosts drains = drain_costs(kernel, Side::Upper);
    for (std::size_t i = 0; i < drains.size(); ++i) {
        if (!enters_write_buffer(kernel, i)) continue;
        models::InstructionTiming& timing = changed.timings.own()[i].value();
        if (models::occupancy_of_port(timing).hi <= drains[i]) models::free_port(timing);
    }
    return changed;
}

} // namespace warpbound::analyzer

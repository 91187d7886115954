#include "analyzer/interference/store_ports.hpp"

#include "analyzer/interference/resource_demand.hpp"

#include <optional>

namespace warpbound::analyzer {

namespace {

/// Whether all stores of the kernel pass one port of the multiprocessor, in the order in which they
/// enter the write buffer.
bool stores_share_a_port(const AnalysisContext& context) {
    std::optional<std::size_t> unit;
    for (std::size_t i = 0; i < context.timings.size(); ++i) {
        if (!enters_write_buffer(context, i)) continue;
        const models::InstructionTiming& timing = context.timings[i].value();
        if (timing.queue || !is_shared_by_all(context, i)) return false;
        if (unit && *unit != timing.unit) return false;
        unit = timing.unit;
    }
    return unit.has_value();
}

} // namespace

AnalysisContext without_ports_of_stores(const AnalysisContext& context) {
    AnalysisContext changed = context;
    const bool is_work_conserving =
        models::guarantee_of(context.request.policy) == models::PolicyGuarantee::WorkConserving;
    if (context.caches || !is_work_conserving || !stores_share_a_port(context)) return changed;
    const InstructionCosts drains = drain_costs(context, Side::Upper);
    for (std::size_t i = 0; i < drains.size(); ++i) {
        if (!enters_write_buffer(context, i)) continue;
        models::InstructionTiming& timing = changed.timings.own()[i].value();
        if (models::occupancy_of_port(timing).hi <= drains[i]) models::free_port(timing);
    }
    return changed;
}

} // namespace warpbound::analyzer

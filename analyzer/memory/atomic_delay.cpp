#include "analyzer/memory/atomic_delay.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/slot_table.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

/// Whether a use of the port lasts as long as its atomic occupies a slice, which is over before the
/// result.
bool is_spaced_by_port(const Timing& timing) {
    const models::Cycles at_slice = models::Cycles{timing.slice_time.hi} * timing.passes.hi;
    const models::Cycles in_port = models::Cycles{models::occupancy_of_port(timing).lo};
    return at_slice <= in_port && at_slice <= models::Cycles{timing.latency.lo};
}

} // namespace

bool atomics_may_wait(const AnalysisContext& context) {
    const auto& units = context.request.architecture->units;
    for (std::size_t i = 0; i < context.timings.size(); ++i) {
        if (!context.used[i] || !context.timings[i]) continue;
        const Timing& timing = context.timings[i].value();
        if (!models::is_atomic_at_l2(timing)) continue;
        const bool one_port =
            context.shape.warps() == 1 || (context.shape.multiprocessors == 1 &&
                                           units[timing.unit].scope == models::UnitScope::Core);
        if (!one_port || !is_spaced_by_port(timing)) return true;
    }
    return false;
}

std::vector<BoundTerm> atomic_delay(const AnalysisContext& context) {
    std::vector<BoundTerm> terms;
    if (!context.atomics_wait) return terms;
    const auto add = [&](const char* name, const char* text, std::int64_t count, auto cost) {
        const InstructionCosts costs =
            per_instruction(context, [&](std::size_t, const Timing& timing) {
                return models::is_atomic_at_l2(timing) ? cost(timing) : 0;
            });
        const CertificateName certificate{std::string{"execution-time-upper-"} + name, text};
        const std::int64_t most = certified_most(context, certificate, costs);
        if (most > 0) terms.push_back({text, count, most, certificate.id});
    };
    add("atomics",
        "services at a slice of the L2 for the atomics of a warp, all of the launch at one slice",
        context.shape.warps(),
        [](const Timing& timing) { return models::times(timing.slice_time.hi, timing.passes.hi); });
    if (const auto slots = slots_of_any_warp(context.request.policy, context.shape))
        add("atomics-between-slots", "waits for the atomics of a warp that end between slots",
            context.shape.waves(), [&](const Timing&) { return slots->longest - 1; });
    return terms;
}

} // namespace warpbound::analyzer

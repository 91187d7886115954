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

bool atomics_may_wait(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const auto& units = kernel.architecture->units;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        const Timing& timing = kernel.timings[i].value();
        if (!models::is_atomic_at_l2(timing)) continue;
        const bool one_port =
            shape.has_one_warp() ||
            (shape.multiprocessors == 1 && units[timing.unit].scope == models::UnitScope::Core);
        if (!one_port || !is_spaced_by_port(timing)) return true;
    }
    return false;
}

std::vector<BoundTerm> atomic_delay(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                    const AnalysisRun& run) {
    std::vector<BoundTerm> terms;
    const auto add = [&](const char* name, const char* text, std::int64_t count, auto cost) {
        const InstructionCosts costs =
            per_instruction(kernel, [&](std::size_t, const Timing& timing) {
                return models::is_atomic_at_l2(timing) ? cost(timing) : 0;
            });
        const CertificateName certificate{std::string{"execution-time-upper-"} + name, text};
        const std::int64_t most = certified_most(kernel, run, certificate, costs);
        if (most > 0) terms.push_back({text, count, most, certificate.id});
    };
    add("atomics",
        "services at a slice of the L2 for the atomics of a warp, all of the launch at one slice",
        launch.shape.warps().count(),
        [](const Timing& timing) { return models::times(timing.slice_time.hi, timing.passes.hi); });
    if (const auto slots = slots_of_any_warp(launch.policy, launch.shape))
        add("atomics-between-slots", "waits for the atomics of a warp that end between slots",
            launch.shape.waves(), [&](const Timing&) { return slots->longest - 1; });
    return terms;
}

} // namespace warpbound::analyzer

#include "certification/verify/memory/atomics.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/demand.hpp"
#include "models/units.hpp"

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// S34: at most this long is one execution served, were all its transactions at one slice.
std::int64_t longest_service(const Timing& timing) {
    return models::times(timing.passes.hi, timing.slice_time.hi);
}

} // namespace

bool atomics_can_wait(const TimedCode& code) {
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const Timing& timing = code.timings[i].value();
        const std::int64_t service = longest_service(timing);
        if (service == 0) continue;
        const auto scope = code.kernel.architecture.units.at(timing.unit).scope;
        const bool shares_port = code.geometry.warps == 1 || (code.geometry.multiprocessors == 1 &&
                                                              scope == models::UnitScope::Core);
        if (!shares_port || service > timing.latency.lo || service > least_port_occupancy(timing))
            return true;
    }
    return false;
}

DemandTables atomic_demand_of(const TimedCode& code, std::int64_t longest_distance) {
    DemandTables tables;
    tables[certificate_id::atomics] = demand_table(
        code, [](const Timing& timing, std::size_t) { return longest_service(timing); });
    if (longest_distance > 0)
        tables[certificate_id::atomics_between_slots] =
            demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
                return longest_service(timing) > 0 ? longest_distance - 1 : 0;
            });
    return tables;
}

std::vector<Term> atomic_terms_of(const TimedCode& code, bool time_division) {
    std::vector<Term> terms{{code.geometry.warps, 0, certificate_id::atomics}};
    if (time_division && code.geometry.warps > 1)
        terms.push_back({code.geometry.waves, 0, certificate_id::atomics_between_slots});
    return terms;
}

} // namespace warpbound::certification::verify

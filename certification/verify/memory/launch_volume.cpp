#include "certification/verify/memory/launch_volume.hpp"

#include "certification/verify/memory/service_times.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;
using Count = std::optional<std::int64_t>; ///< None: nothing is known.

/// Of several bounds on one number.
std::int64_t tightest(std::initializer_list<Count> bounds) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Count& bound : bounds)
        least = std::min(least, bound.value_or(least));
    return least;
}

Count each(const Count& of_one, std::int64_t number) {
    return of_one ? Count{times(*of_one, number)} : std::nullopt;
}

} // namespace

LaunchVolume launch_volume(const TimedCode& code, const Footprint& footprint) {
    LaunchVolume all;
    all.warps = code.geometry.warps;
    all.multiprocessors = code.geometry.multiprocessors;
    const std::int64_t loads = most_loads(code);
    // Each path interval lies in one warp of a wave.
    all.loads_of_path = times(loads, code.geometry.waves);
    all.lines = tightest({each(most_lines(code, true, false), all.warps), footprint.load_lines});
    all.transactions = tightest({all.lines, each(footprint.requests_of_l1, all.multiprocessors)});
    all.stored_lines = times(most_lines(code, false, true), all.warps);
    const auto& fetched = footprint.fetches;
    all.fetches = tightest({all.transactions, fetched ? Count{fetched->transfers} : Count{}});
    all.fetched_sectors =
        tightest({each(footprint.most_l2_sectors, all.fetches), footprint.l2_sectors,
                  fetched ? Count{fetched->sectors} : Count{}});
    all.writes =
        tightest({all.stored_lines,
                  footprint.writebacks ? Count{footprint.writebacks->transfers} : Count{}});
    all.loads_in_flight =
        tightest({times(loads, all.warps), each(loads_in_flight_of_warp(code), all.warps)});
    all.lines_in_flight = tightest({all.lines, each(lines_in_flight_of_warp(code), all.warps)});
    return all;
}

std::int64_t CodeLoad::arrival() const {
    return times(apart, lines - 1);
}

std::vector<CodeLoad> loads_of_code(const TimedCode& code, const MemoryLayout& layout,
                                    const Footprint& footprint) {
    // Those of the code no longer hold their ports where a claim traces these.
    const auto described =
        models::instruction_timings(*code.kernel.function, code.kernel.architecture,
                                    code.kernel.facts, code.kernel.launch.threads);
    std::vector<CodeLoad> loads;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i] || !is_load_through_caches(code.timings[i].value())) continue;
        const models::InstructionTiming& timing = code.timings[i].value();
        const models::InstructionTiming& with_port = described[i].value();
        const models::Interval& listed = footprint.lines_of[i];
        CodeLoad load;
        load.lines = timing.passes.hi;
        load.least_lines_listed = listed.lo;
        load.apart = timing.pass_cost.hi;
        load.port = port_occupancy(with_port, 1);
        // Both sides of the inequality are linear, or constant and then linear, in the lines.
        for (const std::int64_t lines : {listed.lo, listed.hi}) {
            const std::int64_t behind_first =
                times(timing.pass_cost.lo, std::max<std::int64_t>(0, lines - 1));
            if (layout.behind_queues ||
                port_occupancy(with_port, lines) > plus(behind_first, layout.l1_latency.lo))
                load.leaves_port_in_time = false;
        }
        load.brings_last_line = footprint.last_line_alone[i];
        loads.push_back(load);
    }
    return loads;
}

} // namespace warpbound::certification::verify

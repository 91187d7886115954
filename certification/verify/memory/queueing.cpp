/// \file
/// What accesses through caches wait for each other (steps S26 and S29 of docs/soundness.md).
#include "certification/verify/interference/critical_path.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::certification::verify {

using models::plus;

namespace {

/// Refreshes that begin in a time that they make longer; as many as transfers where that grows
/// without end.
std::int64_t refreshes_in(const MemoryParameters& memory, models::Cycles time,
                          std::int64_t transfers) {
    if (models::times(memory.refresh, memory.channels) > memory.refresh_interval / 2)
        return transfers;
    std::int64_t count = 0;
    for (;;) {
        const models::Cycles end = time + models::Cycles{models::times(memory.refresh, count)};
        const std::int64_t begun =
            models::times(end.count() / memory.refresh_interval + 1, memory.channels);
        if (begun <= count) return std::min(count, transfers);
        count = begun;
    }
}

} // namespace

void Contention::add_waits(std::vector<Term>& terms, const ClaimRow& claim) const {
    if (!costs_.memory()) return;
    const MemoryParameters& memory = *costs_.memory();
    const std::int64_t warps = shape_.warps;
    terms.push_back({warps, 0, WarpCosts::loads});
    terms.push_back({warps, 0, WarpCosts::stores});
    const auto of_launch = [warps](std::int64_t all, std::optional<std::int64_t> of_warp) {
        return of_warp ? std::min(models::times(all, warps), models::times(*of_warp, warps))
                       : models::times(all, warps);
    };
    const std::int64_t sent = models::times(costs_.most_lines(true, true), warps);
    const std::int64_t together =
        of_launch(costs_.most_lines(true, false), costs_.outstanding_lines());
    // Nobody waits while all that can be under way have a place.
    if (together > memory.holders) terms.push_back({warps, 0, WarpCosts::entries});
    const bool stores = costs_.most_lines(false, true) > 0;
    const std::int64_t on_link = stores ? sent : std::min(together, memory.entries);
    if (on_link > memory.link_places) terms.push_back({warps, 0, WarpCosts::link});
    if (warps > 1 && !slots_.empty()) {
        terms.push_back({warps, 0, WarpCosts::upper_drain});
        const bool queue_fills =
            of_launch(costs_.most_loads(), costs_.outstanding_loads()) > memory.load_places;
        terms.push_back({plus(shape_.waves, queue_fills ? warps : 0), 0, WarpCosts::loads_between});
        if (costs_.stores_fill_buffer()) terms.push_back({warps, 0, WarpCosts::stores_between});
    }
    if (memory.refresh == 0) return;
    models::Cycles time{0};
    for (const Term& term : terms)
        time += models::Cycles{models::times(term.count, cycles_of(term, claim))};
    const std::int64_t met = refreshes_in(memory, time, sent);
    if (met < sent)
        terms.push_back({met, memory.refresh, ""});
    else
        terms.push_back({warps, 0, WarpCosts::refreshes});
}

} // namespace warpbound::certification::verify

#include "certification/verify/memory/queueing.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/memory/service_times.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::certification::verify {

std::int64_t refreshes_within(models::Cycles time, const Refreshes& refreshes, std::int64_t most) {
    if (models::times(refreshes.duration, refreshes.channels) > refreshes.interval / 2) return most;
    std::int64_t count = 0;
    for (;;) {
        const models::Cycles end = time + models::Cycles{models::times(refreshes.duration, count)};
        const std::int64_t begun =
            models::times(end.count() / refreshes.interval + 1, refreshes.channels);
        if (begun <= count) return std::min(count, most);
        count = begun;
    }
}

std::vector<Term> with_queueing_terms(std::vector<Term> terms, const MemoryParameters& memory,
                                      bool time_division, const CertificateValues& values) {
    namespace ids = certificate_id;
    const TimedCode& code = values.code;
    const std::int64_t warps = code.geometry.warps;
    terms.push_back({warps, 0, ids::loads});
    terms.push_back({warps, 0, ids::stores});
    // S26 (e): what the launch can have outstanding at the same time.
    const auto of_launch = [warps](std::int64_t on_a_path, std::optional<std::int64_t> of_warp) {
        const std::int64_t all = models::times(on_a_path, warps);
        return of_warp ? std::min(all, models::times(*of_warp, warps)) : all;
    };
    const std::int64_t lines = models::times(most_lines(code, true, true), warps);
    const std::int64_t concurrent_lines =
        of_launch(most_lines(code, true, false), lines_in_flight_of_warp(code));
    if (concurrent_lines > memory.outstanding_while_full) terms.push_back({warps, 0, ids::mshr});
    const bool has_stores = most_lines(code, false, true) > 0;
    const std::int64_t on_link =
        has_stores ? lines : std::min(concurrent_lines, memory.mshr_entries);
    if (on_link > memory.link_queue_entries) terms.push_back({warps, 0, ids::link_queue});
    if (warps > 1 && time_division) { // S29.
        terms.push_back({warps, 0, ids::upper_drain});
        const bool queue_may_be_full =
            of_launch(most_loads(code), loads_in_flight_of_warp(code)) > memory.load_queue_entries;
        terms.push_back({models::plus(code.geometry.waves, queue_may_be_full ? warps : 0), 0,
                         ids::loads_between_slots});
        if (stores_exceed_write_buffer(code))
            terms.push_back({warps, 0, ids::stores_between_slots});
    }
    if (memory.refresh == 0) return terms;
    const std::int64_t refreshes = refreshes_within(
        sum_of(values, terms), {memory.refresh, memory.refresh_interval, memory.channels}, lines);
    if (refreshes < lines)
        terms.push_back({refreshes, memory.refresh, ""});
    else
        terms.push_back({warps, 0, ids::refreshes});
    return terms;
}

} // namespace warpbound::certification::verify

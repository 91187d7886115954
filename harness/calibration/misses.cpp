/// \file
/// The number of L1 misses that can be outstanding, from a load that hits after them.

#include "harness/calibration/levels.hpp"
#include "harness/suite/benchmarks/cache_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

constexpr const char* mshr_entries_path = "memories/l1/mshr-entries";

/// Why two loads may share an MSHR entry (C25: one per sector); empty: each load takes its own. The
/// line size is checked too, because caches may have one entry per line.
std::string why_shared(const Ledger& ledger) {
    for (const char* name : {"line", "sector"}) {
        const auto bytes = ledger.number(fmt::format("memories/l1/{}", name));
        if (!bytes) return fmt::format("its {} is not known, and loads may share an entry", name);
        if (*bytes > miss_stride)
            return fmt::format("its {} is {} bytes, and loads {} bytes apart may share an entry",
                               name, *bytes, miss_stride);
    }
    return {};
}

/// Range of load times. `Unit:` core cycles.
struct LoadTimes {
    std::int64_t fastest = 0;
    std::int64_t slowest = 0;
};

LoadTimes load_times(const std::vector<const RecordedSeries*>& series, const Basis& basis) {
    std::vector<std::int64_t> all;
    for (const auto* one : series) {
        const auto times = distances(*one, basis);
        all.insert(all.end(), times.begin(), times.end());
    }
    const auto [fastest, slowest] = std::minmax_element(all.begin(), all.end());
    return {*fastest, *slowest};
}

/// The shortest walk after which the probed lines are in the L2 but not in the L1, and the load
/// times of the first and the last of them.
struct Reload {
    std::int64_t walk = 0;
    LoadTimes times;
    std::vector<const RecordedSeries*>
        series; ///< The series of these loads and of the reference loads.
};

/// Refuses, with the reason, if there is none.
Result<Reload> reload_of(const Measurements& measurements, const Basis& basis) {
    const auto levels = Levels::of(measurements, basis);
    if (!levels) return levels.as_failure();
    for (const std::int64_t walk : reload_walks) {
        std::vector<const RecordedSeries*> reloads;
        bool from_l2 = true;
        for (const std::int64_t line : reload_lines) {
            const std::string point = fmt::format("cache-reload/walk={}/line={}", walk, line);
            const auto* series = measurements.find(point);
            if (series == nullptr) return Failure{measurements.why_not(point)};
            const auto of_l1 = levels.value().within(Level::L1, *series);
            const auto of_l2 = levels.value().within(Level::L2, *series);
            from_l2 = from_l2 && of_l1 && of_l2 && !of_l1.value() && of_l2.value();
            reloads.push_back(series);
        }
        if (!from_l2) continue;
        Reload reload{walk, load_times(reloads, basis), levels.value().series()};
        reload.series.insert(reload.series.end(), reloads.begin(), reloads.end());
        return reload;
    }
    return Failure{"after no walk are lines in the L2 and not in the L1"};
}

} // namespace

void read_misses(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const auto none = [&](const std::string& why) { ledger.unidentified(mshr_entries_path, why); };
    if (const std::string why = why_shared(ledger); !why.empty()) return none(why);
    const auto reload = reload_of(measurements, basis);
    if (!reload) return none(reload.error().what);
    const LoadTimes miss = reload.value().times;
    const LoadTimes hit = load_times({measurements.find(loaded_point)}, basis);
    std::vector<const RecordedSeries*> used_series = reload.value().series;
    for (const char* path : {"memories/l1/line", "memories/l1/sector"}) {
        const auto of_size = ledger.series(path);
        used_series.insert(used_series.end(), of_size.begin(), of_size.end());
    }
    std::int64_t before = hit.slowest; // The slowest hit after one miss fewer.
    std::int64_t growth = 0;           // The largest increase per additional miss.
    for (std::int64_t loads = 1; loads <= most_misses; ++loads) {
        const std::string point =
            fmt::format("cache-misses/walk={}/loads={}", reload.value().walk, loads);
        const auto* series = measurements.find(point);
        if (series == nullptr) return none(measurements.why_not(point));
        used_series.push_back(series);
        const LoadTimes after_misses = load_times({series}, basis);
        if (after_misses.slowest < miss.fastest) {
            growth = std::max(growth, after_misses.slowest - before);
            before = after_misses.slowest;
            continue;
        }
        // A load without a free entry waits until the first miss returns, and the hit is served
        // next. A full link delays it only until a slice has handled the first miss (C27), and
        // again for every further miss; a full queue beyond the L2 delays it longer.
        const bool first_is_back = after_misses.fastest >= miss.fastest + hit.fastest &&
                                   after_misses.slowest <= miss.slowest + hit.slowest + growth;
        if (loads == 1 || !first_is_back || after_misses.fastest - before <= 2 * growth)
            return none(fmt::format("after {} misses a hit takes as long as a miss, but does not "
                                    "show that it waited for the first of them: a link may be "
                                    "full, or the first may return before the entries are used up",
                                    loads));
        const std::int64_t entries = loads - 1;
        return ledger.read(mshr_entries_path, {{entries, entries, entries},
                                               Sharpness::Exact,
                                               "cache-misses",
                                               std::move(used_series)});
    }
    none(fmt::format("at least {}", most_misses));
}

} // namespace warpbound::harness

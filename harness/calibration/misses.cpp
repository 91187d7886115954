/// \file
/// How many misses of the L1 are in flight at once, from a load that hits behind them.

#include "harness/calibration/levels.hpp"
#include "harness/suite/cache_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

constexpr const char* entries_path = "memories/l1/mshr-entries";

/// Why two loads may share an entry (C25: one for each sector); empty: each takes its own. The line
/// is asked for too, as caches may keep an entry for each line.
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

/// Of loads. `Unit:` core cycles.
struct Times {
    std::int64_t fastest = 0;
    std::int64_t slowest = 0;
};

Times times_of(const std::vector<const RecordedSeries*>& series, const Basis& basis) {
    std::vector<std::int64_t> all;
    for (const auto* one : series) {
        const auto times = distances(*one, basis);
        all.insert(all.end(), times.begin(), times.end());
    }
    const auto [fastest, slowest] = std::minmax_element(all.begin(), all.end());
    return {*fastest, *slowest};
}

/// The shortest walk behind which the lines looked for are in the L2 and not in the L1, and the
/// times of the first and the last of them.
struct Reload {
    std::int64_t walk = 0;
    Times times;
    std::vector<const RecordedSeries*> series; ///< Of these, and of who tells the levels.
};

/// Refuses, with the reason, when there is none.
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
        Reload reload{walk, times_of(reloads, basis), levels.value().series()};
        reload.series.insert(reload.series.end(), reloads.begin(), reloads.end());
        return reload;
    }
    return Failure{"behind no walk are lines in the L2 and not in the L1"};
}

} // namespace

void read_misses(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const auto none = [&](const std::string& why) { ledger.unidentified(entries_path, why); };
    if (const std::string why = why_shared(ledger); !why.empty()) return none(why);
    const auto reload = reload_of(measurements, basis);
    if (!reload) return none(reload.error().what);
    const Times miss = reload.value().times;
    const Times hit = times_of({measurements.find(loaded_point)}, basis);
    std::vector<const RecordedSeries*> looked_at = reload.value().series;
    for (const char* path : {"memories/l1/line", "memories/l1/sector"}) {
        const auto of_size = ledger.series(path);
        looked_at.insert(looked_at.end(), of_size.begin(), of_size.end());
    }
    std::int64_t before = hit.slowest; // The slowest hit behind one miss fewer.
    std::int64_t growth = 0;           // The most that a miss has added.
    for (std::int64_t loads = 1; loads <= most_misses; ++loads) {
        const std::string point =
            fmt::format("cache-misses/walk={}/loads={}", reload.value().walk, loads);
        const auto* series = measurements.find(point);
        if (series == nullptr) return none(measurements.why_not(point));
        looked_at.push_back(series);
        const Times behind = times_of({series}, basis);
        if (behind.slowest < miss.fastest) {
            growth = std::max(growth, behind.slowest - before);
            before = behind.slowest;
            continue;
        }
        // What finds no entry waits until the first miss is back, and the hit is handled next. A
        // full link keeps it until a slice has handled the first miss only (C27), and every further
        // miss again; what fills up behind the L2 keeps it longer.
        const bool first_is_back = behind.fastest >= miss.fastest + hit.fastest &&
                                   behind.slowest <= miss.slowest + hit.slowest + growth;
        if (loads == 1 || !first_is_back || behind.fastest - before <= 2 * growth)
            return none(fmt::format("behind {} misses a hit takes as long as a miss, but does not "
                                    "show that it waited for the first of them: a link may be "
                                    "full, or the first be back before the entries are used up",
                                    loads));
        const std::int64_t entries = loads - 1;
        return ledger.read(
            entries_path,
            {{entries, entries, entries}, Sharpness::Exact, "cache-misses", std::move(looked_at)});
    }
    none(fmt::format("at least {}", most_misses));
}

} // namespace warpbound::harness

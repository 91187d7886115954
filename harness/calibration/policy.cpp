#include "harness/calibration/relations.hpp"
#include "harness/suite/calibration_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbound::harness {

namespace {

/// Two warps of a scheduler in the wake-order benchmark, in runs in which one woke while the other
/// one was issuing, a step apart, and nothing else wanted to issue.
struct WakeUps {
    std::int64_t older = 0;         ///< Runs in which the older warp was the one that woke.
    std::int64_t older_first = 0;   ///< In so many of them it issued when it was the other's turn.
    std::int64_t younger = 0;       ///< The same of the younger one.
    std::int64_t younger_first = 0; ///< The same of the younger one.
    std::int64_t far = 0;           ///< Runs with wake-ups many steps apart.
    std::int64_t waited = 0;        ///< In so many of them the other issued nothing in between.
    std::int64_t alone = 0;         ///< Runs in which one ended before the other woke.
    std::int64_t slowed = 0;        ///< In so many of them it took longer than a warp alone.
};

/// Of warp 0 and warp `schedulers`, which share a scheduler; the others have one each.
///
/// The warp that wakes first issues a step apart from its first clock read on, until the other one
/// wakes. The first clock read of that one is the very instruction that waited; when it issues in
/// step with the other warp, both could issue then, and it came first.
WakeUps wake_ups_of(const RecordedSeries& series, const Basis& basis) {
    constexpr std::int64_t clear = 8; ///< Steps between two wake-ups that are far apart.
    const auto schedulers = static_cast<std::size_t>(*basis.schedulers);
    const std::int64_t step = basis.step;
    const std::int64_t alone = basis.empty_region + (wake_filler + 1) * step;
    const std::int64_t shared = std::max(step, 2 * *basis.slot);
    WakeUps found;
    for (const auto& sample : series.samples) {
        const auto clocks = clocks_of(sample);
        const bool older_wakes = clocks[schedulers].first < clocks[0].first;
        const WarpClocks& issuing = older_wakes ? clocks[schedulers] : clocks[0];
        const WarpClocks& woken = older_wakes ? clocks[0] : clocks[schedulers];
        const std::int64_t since = woken.first - issuing.first;
        if (since > wake_filler * step && woken.first > issuing.last) {
            ++found.alone;
            if (issuing.last - issuing.first != alone) ++found.slowed;
        }
        if (since >= clear * step) {
            ++found.far;
            // From then on it had all its instructions to issue.
            if (issuing.last - basis.empty_region - woken.first >
                (wake_filler - clear / 2) * shared)
                ++found.waited;
        }
        if (since < step || since > (wake_filler - 1) * step) continue;
        ++(older_wakes ? found.older : found.younger);
        if (since % step == 0) ++(older_wakes ? found.older_first : found.younger_first);
    }
    return found;
}

/// Warps of a scheduler that start before the first one of it ends: the same for all schedulers and
/// in all runs, else nothing.
std::optional<std::int64_t> started_together(const RecordedSeries& series,
                                             std::int64_t schedulers) {
    std::set<std::int64_t> counts;
    for (const auto& sample : series.samples) {
        const auto clocks = clocks_of(sample);
        for (std::int64_t scheduler = 0; scheduler < schedulers; ++scheduler) {
            std::vector<WarpClocks> warps;
            for (std::size_t warp = 0; warp < clocks.size(); ++warp)
                if (static_cast<std::int64_t>(warp) % schedulers == scheduler)
                    warps.push_back(clocks[warp]);
            const std::int64_t first_end =
                std::min_element(warps.begin(), warps.end(), [](const auto& a, const auto& b) {
                    return a.last < b.last;
                })->last;
            counts.insert(std::count_if(warps.begin(), warps.end(),
                                        [&](const auto& warp) { return warp.first < first_end; }));
        }
    }
    return counts.size() == 1 ? std::optional{*counts.begin()} : std::nullopt;
}

} // namespace

std::optional<std::string> read_policy(const Measurements& measurements, const Basis& basis,
                                       Ledger& ledger) {
    const auto unknown = [&](const std::string& why) -> std::optional<std::string> {
        ledger.unidentified(std::string{policy_path}, why);
        return std::nullopt;
    };
    if (!basis.schedulers) return unknown("the number of schedulers is not known");
    const std::int64_t schedulers = *basis.schedulers;
    const std::string wake_point = fmt::format("wake-order/warps={}", schedulers + 1);
    const std::string crowd_point =
        fmt::format("{}/n={}/warps={}", crowd_of_none, crowd_counts.many, crowd_warps);
    const auto* wake = measurements.find(wake_point);
    const auto* crowd = measurements.find(crowd_point);
    if (wake == nullptr) return unknown(measurements.why_not(wake_point));
    if (crowd == nullptr) return unknown(measurements.why_not(crowd_point));
    const WakeUps seen = wake_ups_of(*wake, basis);
    if (seen.far >= enough_runs && seen.waited == seen.far) return "srr";
    if (seen.waited > 0)
        return unknown(fmt::format("in {} of {} runs a warp waited for another one that slept: "
                                   "none of the rules",
                                   seen.waited, seen.far));
    if (seen.slowed > 0)
        return unknown(fmt::format("in {} of {} runs a warp took longer although the other one of "
                                   "its scheduler slept: none of the rules",
                                   seen.slowed, seen.alone));
    // A warp wakes in step with another one in one of `step` runs; in so many of them it never
    // does with a probability of less than e^-12.
    const std::int64_t needed = 12 * basis.step;
    if (seen.older < needed || seen.younger < needed)
        return unknown(fmt::format("in {} and {} runs only did the older and the younger warp wake "
                                   "while the other was issuing; {} are needed",
                                   seen.older, seen.younger, needed));
    if (seen.older_first > 0 && seen.younger_first > 0) {
        const auto together = started_together(*crowd, schedulers);
        if (!together)
            return unknown("the number of warps of a scheduler that start together differs");
        return *together < crowd_warps / schedulers ? fmt::format("two-level:active={}", *together)
                                                    : std::string{"lrr"};
    }
    if (seen.older_first > 0) return "oldest";
    if (seen.younger_first == 0) return "gto";
    return unknown("younger warps come before older ones and not the reverse: none of the rules");
}

} // namespace warpbound::harness

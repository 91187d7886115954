#include "harness/calibration/relations.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbound::harness {

namespace {

/// Observations of two warps of one scheduler in the wake-order benchmark: one warp becomes ready
/// (wakes up) while the other issues once per step, and no other warp is ready.
struct WakeUps {
    std::int64_t older = 0; ///< Runs in which the older warp woke up.
    std::int64_t older_first =
        0; ///< Runs of these in which it issued in a slot in which the other warp was ready too.
    std::int64_t younger = 0;       ///< Runs in which the younger warp woke up.
    std::int64_t younger_first = 0; ///< As `older_first`, for the younger warp.
    std::int64_t far = 0;           ///< Runs with wake-ups many steps apart.
    std::int64_t waited = 0; ///< Runs of these in which the other warp issued nothing in between.
    std::set<std::int64_t> distances; ///< Between two wake-ups.
    std::int64_t alone = 0;           ///< Runs in which one warp ended before the other woke up.
    std::int64_t slowed = 0;          ///< Runs of these in which it took longer than in isolation.
};

/// Observes warp 0 and warp `schedulers`, which share a scheduler; every other warp has its own.
///
/// The warp that wakes up first issues once per step from its first clock read on, until the other
/// one wakes up. The first clock read of the other warp is the instruction that was stalled. If it
/// issues a whole number of steps later, both warps were ready in that cycle, and the scheduler
/// preferred it.
WakeUps wake_ups_of(const RecordedSeries& series, const Basis& basis) {
    constexpr std::int64_t clear =
        8; ///< Minimum steps between two wake-ups that count as far apart.
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
        found.distances.insert(since);
        if (since > wake_filler * step && woken.first > issuing.last) {
            ++found.alone;
            if (issuing.last - issuing.first != alone) ++found.slowed;
        }
        if (since >= clear * step) {
            ++found.far;
            // The warp issued (nearly) all its instructions after the other wake-up.
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

/// Number of warps of a scheduler that start before its first warp ends; empty unless equal for all
/// schedulers and runs.
std::optional<std::int64_t> concurrent_warps(const RecordedSeries& series,
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

/// Whether the youngest warp of a scheduler reads the clock before the oldest one; empty unless all
/// schedulers and runs agree. Requires: several warps on each scheduler that start together.
std::optional<bool> youngest_begins(const RecordedSeries& series, std::int64_t schedulers) {
    const auto count = static_cast<std::size_t>(schedulers);
    std::set<bool> found;
    for (const auto& sample : series.samples) {
        const auto clocks = clocks_of(sample);
        for (std::size_t oldest = 0; oldest < count && oldest < clocks.size(); ++oldest) {
            const std::size_t others = (clocks.size() - 1 - oldest) / count;
            found.insert(clocks[oldest + others * count].first < clocks[oldest].first);
        }
    }
    return found.size() == 1 ? std::optional{*found.begin()} : std::nullopt;
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
    const std::string contention_point = fmt::format("{}/n={}/warps={}", contention_without_port,
                                                     contention_counts.many, contending_warps);
    const auto* wake = measurements.find(wake_point);
    const auto* contention = measurements.find(contention_point);
    if (wake == nullptr) return unknown(measurements.why_not(wake_point));
    if (contention == nullptr) return unknown(measurements.why_not(contention_point));
    const WakeUps seen = wake_ups_of(*wake, basis);
    // Loads of one latency wake their warps always alike. With interlocks a description of one
    // latency is that of no real machine; on encoded ones all others may be known exactly.
    if (!measurements.interlocks() &&
        (seen.far < enough_runs || std::ssize(seen.distances) < enough_runs))
        return unknown(fmt::format("in {} runs the warps wake up far apart, at {} distances; {} of "
                                   "each are needed",
                                   seen.far, seen.distances.size(), enough_runs));
    if (seen.far >= enough_runs && seen.waited == seen.far) return "srr";
    if (seen.waited > 0)
        return unknown(fmt::format("in {} of {} runs a warp waited for another one that was "
                                   "stalled: no known policy does that",
                                   seen.waited, seen.far));
    if (seen.slowed > 0)
        return unknown(fmt::format("in {} of {} runs a warp took longer although the other one of "
                                   "its scheduler was stalled: no known policy does that",
                                   seen.slowed, seen.alone));
    // A warp wakes up in an issue cycle of the other one in one of `step` runs; that this never
    // happens in `needed` runs has a probability of less than e^-12.
    const std::int64_t needed = 12 * basis.step;
    if (seen.older < needed || seen.younger < needed)
        return unknown(fmt::format("in {} and {} runs only did the older and the younger warp wake "
                                   "while the other was issuing; {} are needed",
                                   seen.older, seen.younger, needed));
    if (seen.older_first > 0 && seen.younger_first > 0) {
        const auto concurrent = concurrent_warps(*contention, schedulers);
        if (!concurrent)
            return unknown("the number of warps of a scheduler that start concurrently differs");
        return *concurrent < contending_warps / schedulers
                   ? fmt::format("two-level:active={}", *concurrent)
                   : std::string{"lrr"};
    }
    if (seen.older_first > 0) return "oldest";
    if (seen.younger_first == 0) {
        const auto youngest = youngest_begins(*contention, schedulers);
        if (!youngest)
            return unknown("a warp that issues keeps its scheduler, and of those that begin "
                           "neither the oldest nor the youngest is always first");
        return *youngest ? "gty" : "gto";
    }
    return unknown(
        "younger warps are preferred to older ones and not the reverse: no known policy does that");
}

} // namespace warpbound::harness

#include "harness/calibration/relations.hpp"
#include "harness/suite/calibration_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbound::harness {

namespace {

/// Who was held up by whom in the wake-order benchmark.
struct Delays {
    std::int64_t older_woke = 0; ///< Runs in which the warp that was issuing is the younger one.
    std::int64_t by_older = 0;   ///< In so many of them it was delayed.
    std::int64_t younger_woke = 0;
    std::int64_t by_younger = 0;
    std::int64_t widest = 0; ///< Largest distance between the two warps' first clocks.
};

/// Of warp 0 and warp `schedulers`, which share a scheduler; the others have one each.
///
/// When both may issue in one cycle, the warp that is put back waits an issue slot. One that wakes
/// a cycle earlier has the slot already; that delay is shorter and says nothing of the policy.
Delays delays_of(const RecordedSeries& series, const Basis& basis,
                 std::optional<std::int64_t> clock_latency) {
    const auto schedulers = static_cast<std::size_t>(*basis.schedulers);
    std::int64_t undisturbed = 0;
    for (const auto& sample : series.samples)
        for (const auto& clocks : clocks_of(sample)) {
            const std::int64_t time = clocks.last - clocks.first;
            undisturbed = undisturbed == 0 ? time : std::min(undisturbed, time);
        }
    Delays delays;
    for (const auto& sample : series.samples) {
        const auto clocks = clocks_of(sample);
        const WarpClocks& older = clocks[0];
        const WarpClocks& younger = clocks[schedulers];
        const std::int64_t distance = std::abs(older.first - younger.first);
        delays.widest = std::max(delays.widest, distance);
        const bool older_wakes = younger.first < older.first;
        const WarpClocks& issuing = older_wakes ? younger : older;
        const WarpClocks& woken = older_wakes ? older : younger;
        // Around its own clock read a warp issues too rarely to be the one chosen last.
        if (distance <= 2 * basis.empty_region || woken.first >= issuing.last) continue;
        // The woken warp had its turn when it wanted it: in step with the issues of the other.
        const bool in_step =
            !clock_latency || (woken.first - issuing.first - *clock_latency) % basis.step == 0;
        const bool delayed = in_step && issuing.last - issuing.first >= undisturbed + *basis.slot;
        ++(older_wakes ? delays.older_woke : delays.younger_woke);
        if (delayed) ++(older_wakes ? delays.by_older : delays.by_younger);
    }
    return delays;
}

/// Warps of a scheduler that start before the first one of the launch ends.
std::int64_t started_together(const RecordedSeries& series, std::int64_t schedulers) {
    std::int64_t most = 0;
    for (const auto& sample : series.samples) {
        const auto clocks = clocks_of(sample);
        std::int64_t first_end = clocks.front().last;
        for (const auto& warp : clocks)
            first_end = std::min(first_end, warp.last);
        const auto started = std::count_if(
            clocks.begin(), clocks.end(), [&](const auto& warp) { return warp.first < first_end; });
        most = std::max<std::int64_t>(most, started / schedulers);
    }
    return most;
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
    const std::string crowd_point = fmt::format("{}/n={}/warps={}", crowd_of_none,
                                                crowd_counts(crowd_of_none).many, crowd_warps);
    const auto* wake = measurements.find(wake_point);
    const auto* crowd = measurements.find(crowd_point);
    const auto latency = ledger.interval("memories/dram/latency");
    if (wake == nullptr) return unknown(measurements.why_not(wake_point));
    if (crowd == nullptr) return unknown(measurements.why_not(crowd_point));
    if (!latency) return unknown("memories/dram/latency is not known");
    const Delays delays = delays_of(*wake, basis, ledger.number("classes/clock-read/latency"));
    const std::int64_t spread = latency->hi - latency->lo;
    // Wake-ups far apart that lead to clock reads close together: one warp waits for the other.
    if (spread > 4 * basis.empty_region && delays.widest <= basis.empty_region) return "srr";
    // Runs in which one of the two woke while the other was issuing.
    if (delays.older_woke < enough_runs || delays.younger_woke < enough_runs)
        return unknown(fmt::format("in {} and {} runs only did the older and the younger warp wake "
                                   "while the other was issuing; {} are needed",
                                   delays.older_woke, delays.younger_woke, enough_runs));
    // A warp that yields also finds a run in which it need not: where every run is delayed,
    // something else delays it. So may a run or two.
    const auto is_doubtful = [](std::int64_t delayed, std::int64_t runs) {
        constexpr std::int64_t too_few = 3;
        return delayed == runs || (delayed > 0 && delayed < too_few);
    };
    if (is_doubtful(delays.by_older, delays.older_woke) ||
        is_doubtful(delays.by_younger, delays.younger_woke))
        return unknown(fmt::format(
            "the older warp delayed the younger in {} of {} runs, the younger the older "
            "in {} of {}: all or hardly any, so that the cause may be another",
            delays.by_older, delays.older_woke, delays.by_younger, delays.younger_woke));
    const std::int64_t together = started_together(*crowd, schedulers);
    if (delays.by_older > 0 && delays.by_younger > 0)
        return together < crowd_warps / schedulers ? fmt::format("two-level:active={}", together)
                                                   : std::string{"lrr"};
    if (delays.by_older > 0) return "oldest";
    if (delays.by_younger == 0) return "gto";
    return unknown("younger warps delay older ones and not the reverse: none of the rules");
}

} // namespace warpbound::harness

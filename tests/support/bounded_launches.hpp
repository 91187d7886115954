#pragma once
/// \file
/// What campaigns on stages and queues of the pipeline repeat: a random launch of a random kernel,
/// its runs of every draw against its bounds, and the counts of such launches.

#include "analyzer/analyze.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "models/observation.hpp"
#include "models/units.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/median.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::tests {

/// What a campaign learns of one launch and its bounds.
struct BoundedLaunch {
    std::string failure;
    std::string refusal; ///< Why it was not bounded.
    bool several_warps = false;
    bool shares_scheduler = false;
    bool straight = false; ///< One path, whose bounds are met.
    bool diverges = false;
    double tightness = 0;    ///< Upper bound over the longest run; 0: it was not bounded.
    double slack = 0;        ///< Shortest run over the lower bound.
    bool is_delayed = false; ///< What the campaign is about makes a run longer.
};

/// Places for one to four blocks, which begin later than those that they replace end.
inline void put_block_places(models::Architecture& machine, RandomSource& random) {
    const std::int64_t places = random.whole(1, 4);
    put_value(machine, "limits/max-blocks", {places, places, places});
    put_value(machine, "blocks/replacement", {3, std::nullopt, 9});
    put_value(machine, "blocks/start", {5, std::nullopt, 20});
}

/// Up to 8 blocks of up to 8 warps, now and then on several multiprocessors.
inline void draw_launch(analyzer::Request& request, RandomSource& random) {
    request.launch = {random.whole(1, 8), 32 * random.whole(1, 8)};
    request.multiprocessors = random.whole(0, 3) == 0 ? random.whole(2, 3) : 1;
}

/// The upper bound without alternatives that only re-analysis shows.
inline models::Cycles upper_with_evidence(const analyzer::SideResult& upper) {
    if (upper.terms.empty()) return upper.proved;
    const auto shown = analyzer::with_evidence(upper.bound, analyzer::Side::Upper);
    return shown ? analyzer::value_of(*shown) : upper.proved;
}

/// Asks for bounds of a kernel; the launch is one warp.
inline analyzer::Request request_of(const ReadKernel& made,
                                    const models::Architecture& architecture) {
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    return request;
}

inline void note_launch(BoundedLaunch& verdict, const analyzer::Request& request) {
    verdict.several_warps = request.launch.blocks * request.launch.threads > 32;
    verdict.shares_scheduler = request.launch.threads > 128;
}

/// The simulator, ready for the launch of a request.
inline auto prepare_launch(const analyzer::Request& request,
                           const models::Architecture& architecture) {
    const harness::Kernel launched{request.function, request.graph, request.facts, request.launch};
    return harness::simulator::Machine::prepare(architecture, launched, request.policy,
                                                request.multiprocessors);
}

/// The launch, policy, seed and draw of a run, for the text of a failure.
inline std::string text_of_run(const analyzer::Request& request, std::uint64_t seed,
                               harness::Draw draw) {
    return "launch " + models::to_string(request.launch) + " on " +
           std::to_string(request.multiprocessors) + ", policy " +
           models::to_string(request.policy) + ", run seed " + std::to_string(seed) + ", draw " +
           std::string{harness::to_string(draw)};
}

/// A time and the bounds outside of which it is, for the text of a failure.
template <class Time, class TimeBounds>
std::string text_of_outside(const Time& time, const TimeBounds& bounds) {
    return std::to_string(time.count()) + " outside [" + std::to_string(bounds.lower().count()) +
           ", " + std::to_string(bounds.upper().count()) + "]";
}

/// The time between the first and the last clock read of the first warp, if it read any.
inline std::optional<models::Cycles> between_clocks(const models::Observation& observed) {
    const models::WarpObservation& warp = observed.warps.front();
    if (!warp.first_clock || !warp.last_clock) return std::nullopt;
    return *warp.last_clock - *warp.first_clock;
}

/// One run with each draw, seeds from `first_seed` + 1 on. Each has to lie in `bounds`; then
/// `check(observation, draw, seed)` returns a failure, or an empty text. Returns the first failure,
/// and notes how close bounds and runs are.
template <class Machine, class TimeBounds, class Check>
std::string run_every_draw(const Machine& machine, const analyzer::Request& request,
                           const TimeBounds& bounds, std::uint64_t first_seed,
                           BoundedLaunch& verdict, Check check) {
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    std::uint64_t seed = first_seed;
    using enum harness::Draw;
    for (const auto draw : {Uniform, Extremes, AllLow, AllHigh, Adversarial}) {
        const auto observed = machine.run({++seed, draw, {}});
        if (!observed) return "run refused: " + to_string(observed.error());
        const auto time = observed.value().execution_time;
        best = std::min(best, time.count());
        worst = std::max(worst, time.count());
        if (!bounds.contains(time))
            return "simulated " + text_of_outside(time, bounds) + ", " +
                   text_of_run(request, seed, draw);
        if (auto failure = check(observed.value(), draw, seed); !failure.empty()) return failure;
    }
    verdict.tightness = static_cast<double>(bounds.upper().count()) / static_cast<double>(worst);
    verdict.slack = static_cast<double>(best) /
                    static_cast<double>(std::max<std::int64_t>(1, bounds.lower().count()));
    return {};
}

/// Of straight-line code of one warp where nothing else is drawn: the runs with the ends of all
/// intervals meet the bounds. Returns the failure, or an empty text.
template <class TimeBounds>
std::string met_from_both_sides(const models::Observation& observed, const TimeBounds& bounds,
                                harness::Draw draw) {
    const auto time = observed.execution_time;
    const auto end = draw == harness::Draw::AllLow    ? bounds.lower()
                     : draw == harness::Draw::AllHigh ? bounds.upper()
                                                      : time;
    return time == end ? std::string{}
                       : "straight-line code takes " + std::to_string(time.count()) +
                             ", its bound is " + std::to_string(end.count());
}

/// Whether a run with all values at their upper ends is longer than on the other machine.
template <class Machine>
bool is_slower(const Machine& machine, const Machine& other, std::uint64_t seed) {
    const auto slow = machine.run({seed, harness::Draw::AllHigh, {}});
    const auto fast = other.run({seed, harness::Draw::AllHigh, {}});
    return fast && slow &&
           slow.value().execution_time.count() > fast.value().execution_time.count();
}

/// Counts of the launches of a campaign.
struct LaunchCounts {
    std::uint64_t delayed = 0;
    std::uint64_t straight = 0;
    std::uint64_t several = 0;
    std::uint64_t shared = 0;
    std::uint64_t divergent = 0;
    std::uint64_t refused = 0;
    std::uint64_t bounded = 0;
    double tightness = 0;
    double slack = 0;

    /// Returns whether it was bounded.
    bool add(const BoundedLaunch& verdict) {
        if (!verdict.refusal.empty()) ++refused;
        if (verdict.tightness == 0) return false;
        ++bounded;
        tightness += verdict.tightness;
        slack += verdict.slack;
        if (verdict.is_delayed) ++delayed;
        if (verdict.straight && !verdict.several_warps) ++straight;
        if (verdict.several_warps) ++several;
        if (verdict.shares_scheduler) ++shared;
        if (verdict.diverges) ++divergent;
        return true;
    }

    /// Writes them into the result of the test.
    void record() const {
        const auto property = [](const char* name, const std::string& value) {
            testing::Test::RecordProperty(name, value);
        };
        property("bounded", std::to_string(bounded));
        property("delayed", std::to_string(delayed));
        property("straight", std::to_string(straight));
        property("several_warps", std::to_string(several));
        property("divergent", std::to_string(divergent));
        const auto mean = [&](double sum) {
            return std::to_string(sum / static_cast<double>(std::max<std::uint64_t>(1, bounded)));
        };
        property("mean_upper_over_longest", mean(tightness));
        property("mean_shortest_over_lower", mean(slack));
    }
};

} // namespace warpbound::tests

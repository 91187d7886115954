#include "harness/simulator/longest_run.hpp"

#include "harness/simulator/clock/random.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

/// The run up to a cycle inside its time, with another turn from there on.
RunOptions turned(const LongestRun& run, RandomStream& random) {
    RunOptions options = run.options;
    const std::int64_t last = std::max<std::int64_t>(1, run.execution_time.count()) - 1;
    const std::int64_t from = random.uniform(0, last);
    std::erase_if(options.turns, [&](const Turn& turn) { return turn.from >= from; });
    options.turns.push_back({from, random.next()});
    return options;
}

} // namespace

Result<LongestRun> longest_run(const Machine& machine, const RunOptions& from, std::size_t tries) {
    const auto first = machine.run(from);
    if (!first) return first.as_failure();
    LongestRun best{from, first.value().execution_time};
    RandomStream random{from.seed, StreamOf::Turns, 0};
    for (std::size_t i = 0; i < tries; ++i) {
        RunOptions options = turned(best, random);
        const auto seen = machine.run(options);
        if (!seen) return seen.as_failure();
        if (seen.value().execution_time >= best.execution_time)
            best = {std::move(options), seen.value().execution_time};
    }
    return best;
}

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// A directed search for long runs: which warp an unknown policy chooses, and when it changes its
/// rule.

#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "models/units.hpp"

#include <cstddef>

namespace warpbound::harness::simulator {

struct LongestRun {
    RunOptions options; ///< Running them again takes `execution_time`.
    models::Cycles execution_time;
};

/// Climbs from the run `from`: each try keeps the best run up to a cycle, and takes another turn
/// (`RunOptions::turns`) there. A try that is no shorter becomes the best run. Under a policy that
/// is known all tries equal the first run. Equal arguments give equal results.
/// Side: the time is seen, hence at most the longest possible one.
Result<LongestRun> longest_run(const Machine& machine, const RunOptions& from, std::size_t tries);

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// Whether simulated runs in a bundle took the times that their samples say: they are run again.

#include "certification/verify/evidence.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// Which runs are simulated again.
struct ReplayChoice {
    bool all = false;
    /// Of the choice. Nobody who made the bundle may know it beforehand.
    std::uint64_t seed = 1;
};

/// Runs of the series, in order: all, or a sixteenth (at least 16, at most 256) that the seed and
/// the path of the series determine, and the first runs with the shortest and the longest time.
std::vector<std::size_t> chosen_runs(const Series& series, const ReplayChoice& choice);

/// Simulates runs of every series of the bundle's kernels again, with the machine, launch, policy,
/// facts, draw and seed that the bundle gives. A series of another device than that one is a
/// failure: `certify` writes none. Measurements from which a description was derived are not
/// replayed: they are of other machines.
/// Requires: evidence whose observations hold.
StepResult check_replay(const Evidence& evidence, const ReplayChoice& choice, unsigned threads);

} // namespace warpbound::certification::verify

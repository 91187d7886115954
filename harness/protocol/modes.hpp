#pragma once
/// \file
/// Clusters of observed times, and the modes of their distribution.

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::harness {

/// A range of times: a mode of their distribution, or a cluster. `Unit:` core cycles.
struct Mode {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    std::int64_t count = 0;
    std::int64_t first_run =
        0; ///< Index of the first run in it, counting the runs with valid times only.
    std::int64_t last_run = 0; ///< Index of the last run in it.
};

/// Count of a value, with its first and last run.
struct Occurrence {
    std::int64_t count = 0;
    std::int64_t first_run = 0;
    std::int64_t last_run = 0;
};
using Occurrences = std::map<std::int64_t, Occurrence>;

/// `larger - smaller`, which may not fit into an int64_t. Requires: smaller <= larger.
std::uint64_t value_distance(std::int64_t smaller, std::int64_t larger);

/// Groups of distinct values, split at gaps larger than 8 times the larger of the lattice step (the
/// greatest common divisor of the differences) and the median gap.
std::vector<Mode> clusters_of(const Occurrences& distinct);

/// The modes. Candidates are the clusters and the valleys of a kernel density (Silverman 1986,
/// eq. 3.31); of two neighbours that the dip test accepts as one mode at 1 %, the most alike merge
/// first. Ties are spread over their step of the lattice, which the test takes for continuous, and
/// of more than 10,000 times as many evenly spaced order statistics are tested.
std::vector<Mode> modes_of(const Occurrences& distinct, const std::vector<Mode>& clusters);

} // namespace warpbound::harness

#pragma once
/// \file
/// Descriptive statistics of repeated times. Outliers are never dropped.

#include "harness/protocol/modes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpbound::harness {

struct ValueCount {
    std::int64_t value = 0;
    std::int64_t count = 0;
};

/// Summary of at least one sample. `Unit:` core cycles for times.
struct Summary {
    std::int64_t count = 0;
    std::int64_t best = 0;
    double mean = 0;
    double standard_deviation = 0; ///< Sample standard deviation (n - 1); 0 for one sample.
    std::int64_t worst = 0;
    std::int64_t median = 0; ///< Nearest rank, like the other percentiles.
    std::int64_t p90 = 0;
    std::int64_t p99 = 0;
    std::int64_t first_worst_run = 0;
    std::int64_t distinct = 0; ///< Number of distinct values.
    std::vector<ValueCount>
        values; ///< Distinct values, increasing; empty if there are more than 64.
    /// Groups of times between gaps that are wide against the others. Which of them differ beyond
    /// chance is not tested: a single late time makes a cluster.
    std::vector<Mode> clusters;
    /// Peaks of the distribution: one, unless the dip test rejects a single one at a level of 1 %.
    /// Every two neighbours together are rejected as well.
    std::vector<Mode> modes;
};

/// Requires: samples not empty, in run order.
Summary summarise(std::span<const std::int64_t> samples);

} // namespace warpbound::harness

#pragma once
/// \file
/// Bootstrap confidence intervals of the mean, the median and a percentile of a sample.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpbound::harness {

struct ConfidenceInterval {
    double lo = 0;
    double hi = 0;

    friend bool operator==(const ConfidenceInterval&, const ConfidenceInterval&) = default;
};

/// Estimates, not bounds. `Unit:` core cycles.
struct BootstrapIntervals {
    double confidence = 0.95; ///< Of each interval separately.
    std::int64_t replicates = 0;
    ConfidenceInterval mean;
    ConfidenceInterval median;
    ConfidenceInterval p99;

    friend bool operator==(const BootstrapIntervals&, const BootstrapIntervals&) = default;
};

struct Bootstrap {
    std::optional<BootstrapIntervals> intervals;
    std::string why_not; ///< The reason why there are no intervals.
};

/// Intervals by the percentile method: runs are drawn with replacement, each with all its times.
/// The number of replicates is 1000, or as many as fit into 20 million drawn times. No interval is
/// given for fewer than two runs, a run without times, a constant sample, or if fewer than 100
/// replicates fit. Valid if runs are independent: see `order_tests`. `Shape:` runs[run][warp].
Bootstrap bootstrap(std::span<const std::vector<std::int64_t>> runs, std::uint64_t seed = 1);

} // namespace warpbound::harness

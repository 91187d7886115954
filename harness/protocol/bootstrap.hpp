#pragma once
/// \file
/// How far the mean, the median and a percentile of a sample would move if it were taken again.

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
    double confidence = 0.95; ///< Of each interval by itself.
    std::int64_t replicates = 0;
    ConfidenceInterval mean;
    ConfidenceInterval median;
    ConfidenceInterval p99;

    friend bool operator==(const BootstrapIntervals&, const BootstrapIntervals&) = default;
};

struct Bootstrap {
    std::optional<BootstrapIntervals> intervals;
    std::string why_not; ///< Where there are none.
};

/// Intervals by the percentile method: runs are drawn with replacement, each with all its times,
/// 1000 times or as often as 20 million times allow. Nothing is decided for fewer than two runs, a
/// run without times, a constant sample and runs of which not even 100 replicates fit. Right where
/// runs do not depend on each other: see `order_tests`. `Shape:` runs[run][warp].
Bootstrap bootstrap(std::span<const std::vector<std::int64_t>> runs, std::uint64_t seed = 1);

} // namespace warpbound::harness

#include "harness/protocol/copy_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::harness {

Result<CopyLine> line_of_copies(std::span<const CopyTime> times) {
    double weights = 0;
    double mean_size = 0;
    double mean_time = 0;
    for (const CopyTime& one : times) {
        if (one.time <= 0)
            return Failure{fmt::format("the time of {} bytes is not above 0", one.bytes), "copies"};
        const double weight = 1 / (one.time * one.time);
        weights += weight;
        mean_size += weight * static_cast<double>(one.bytes);
        mean_time += weight * one.time;
    }
    const bool one_size = std::all_of(times.begin(), times.end(), [&](const CopyTime& one) {
        return one.bytes == times.front().bytes;
    });
    if (one_size) return Failure{"times of fewer than two sizes; expected at least two", "copies"};
    mean_size /= weights;
    mean_time /= weights;
    double variance = 0;
    double covariance = 0;
    for (const CopyTime& one : times) {
        const double weight = 1 / (one.time * one.time);
        const double size = static_cast<double>(one.bytes) - mean_size;
        variance += weight * size * size;
        covariance += weight * size * (one.time - mean_time);
    }
    if (covariance <= 0) return Failure{"the times do not grow with the size", "copies"};
    CopyLine line;
    line.bandwidth = variance / covariance;
    line.start = mean_time - mean_size / line.bandwidth;
    for (const CopyTime& one : times) {
        const double on_line = line.start + static_cast<double>(one.bytes) / line.bandwidth;
        line.worst_share = std::max(line.worst_share, std::abs(one.time - on_line) / one.time);
    }
    return line;
}

} // namespace warpbound::harness

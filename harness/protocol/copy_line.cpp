#include "harness/protocol/copy_line.hpp"

#include <algorithm>
#include <cmath>

namespace warpbound::harness {

std::optional<CopyLine> line_of_copies(std::span<const CopyTime> times) {
    double weights = 0;
    double mean_size = 0;
    double mean_time = 0;
    for (const CopyTime& one : times) {
        if (one.time <= 0) return std::nullopt;
        const double weight = 1 / (one.time * one.time);
        weights += weight;
        mean_size += weight * static_cast<double>(one.bytes);
        mean_time += weight * one.time;
    }
    if (times.empty()) return std::nullopt;
    mean_size /= weights;
    mean_time /= weights;
    double spread = 0;
    double together = 0;
    for (const CopyTime& one : times) {
        const double weight = 1 / (one.time * one.time);
        const double size = static_cast<double>(one.bytes) - mean_size;
        spread += weight * size * size;
        together += weight * size * (one.time - mean_time);
    }
    if (spread <= 0 || together <= 0) return std::nullopt;
    CopyLine line;
    line.bandwidth = spread / together;
    line.start = mean_time - mean_size / line.bandwidth;
    for (const CopyTime& one : times) {
        const double on_line = line.start + static_cast<double>(one.bytes) / line.bandwidth;
        line.worst_share = std::max(line.worst_share, std::abs(one.time - on_line) / one.time);
    }
    return line;
}

} // namespace warpbound::harness

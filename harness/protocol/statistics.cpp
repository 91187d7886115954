#include "harness/protocol/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

namespace warpbound::harness {

namespace {

constexpr std::size_t listed_values = 64;
constexpr std::uint64_t gap_factor = 8;

/// `larger - smaller`, which may not fit into an int64_t. Requires: smaller <= larger.
std::uint64_t value_distance(std::int64_t smaller, std::int64_t larger) {
    return static_cast<std::uint64_t>(larger) - static_cast<std::uint64_t>(smaller);
}

/// Count of a value, with its first and last run.
struct Occurrence {
    std::int64_t count = 0;
    std::int64_t first_run = 0;
    std::int64_t last_run = 0;
};

/// Smallest value that at least `percent` of the samples do not exceed.
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, std::size_t percent) {
    // ceil(percent * size / 100), split so that the product cannot overflow.
    const std::size_t size = sorted.size();
    const std::size_t rank = size / 100 * percent + (size % 100 * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// Clusters of distinct values, split at gaps larger than 8 times the larger of the lattice step
/// (the greatest common divisor of the differences) and the median gap.
std::vector<Mode> modes_of(const std::map<std::int64_t, Occurrence>& distinct) {
    std::vector<std::uint64_t> gaps;
    std::uint64_t lattice = 0;
    for (auto before = distinct.begin(), value = std::next(before); value != distinct.end();
         before = value++) {
        gaps.push_back(value_distance(before->first, value->first));
        lattice = std::gcd(lattice, gaps.back());
    }
    std::uint64_t widest = 0;
    if (!gaps.empty()) {
        auto sorted = gaps;
        std::sort(sorted.begin(), sorted.end());
        const std::uint64_t usual = std::max(lattice, sorted[(sorted.size() - 1) / 2]);
        constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
        widest = usual > largest / gap_factor ? largest : gap_factor * usual;
    }
    std::vector<Mode> modes;
    auto gap = gaps.begin();
    for (const auto& [value, seen] : distinct) {
        if (modes.empty() || *gap++ > widest)
            modes.push_back({value, value, 0, seen.first_run, seen.last_run});
        Mode& mode = modes.back();
        mode.highest = value;
        mode.count += seen.count;
        mode.first_run = std::min(mode.first_run, seen.first_run);
        mode.last_run = std::max(mode.last_run, seen.last_run);
    }
    return modes;
}

} // namespace

Summary summarise(std::span<const std::int64_t> samples) {
    if (samples.empty()) throw std::logic_error{"a summary of no samples"};
    std::map<std::int64_t, Occurrence> distinct;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto run = static_cast<std::int64_t>(i);
        Occurrence& occurrence =
            distinct.try_emplace(samples[i], Occurrence{0, run, run}).first->second;
        ++occurrence.count;
        occurrence.last_run = run;
    }
    std::vector<std::int64_t> sorted{samples.begin(), samples.end()};
    std::sort(sorted.begin(), sorted.end());
    Summary summary;
    summary.count = static_cast<std::int64_t>(samples.size());
    summary.best = sorted.front();
    summary.worst = sorted.back();
    summary.median = nearest_rank(sorted, 50);
    summary.p90 = nearest_rank(sorted, 90);
    summary.p99 = nearest_rank(sorted, 99);
    summary.first_worst_run = distinct.at(summary.worst).first_run;
    // Differences to the best avoid the precision loss of a large offset. The sums are doubles:
    // they round (by less than 1 in 10^9 for ten million samples), and cannot overflow.
    double sum = 0;
    for (const std::int64_t value : sorted)
        sum += static_cast<double>(value_distance(summary.best, value));
    const double mean = sum / static_cast<double>(sorted.size());
    double squares = 0;
    for (const std::int64_t value : sorted) {
        const double difference = static_cast<double>(value_distance(summary.best, value)) - mean;
        squares += difference * difference;
    }
    summary.mean = static_cast<double>(summary.best) + mean;
    if (sorted.size() > 1)
        summary.standard_deviation = std::sqrt(squares / static_cast<double>(sorted.size() - 1));
    summary.distinct = static_cast<std::int64_t>(distinct.size());
    summary.modes = modes_of(distinct);
    if (distinct.size() <= listed_values)
        for (const auto& [value, seen] : distinct)
            summary.values.push_back({value, seen.count});
    return summary;
}

} // namespace warpbound::harness

#include "harness/protocol/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace warpbound::harness {

namespace {

constexpr std::size_t listed_values = 64;
constexpr std::int64_t gap_factor = 8;

/// Smallest value that at least `percent` of the samples do not exceed.
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, std::size_t percent) {
    const std::size_t rank = (percent * sorted.size() + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// Clusters of distinct values, split at gaps larger than 8 times the larger of the lattice step
/// (the greatest common divisor of the differences) and the median gap.
std::vector<Mode> modes_of(const std::vector<ValueCount>& distinct,
                           const std::map<std::int64_t, std::int64_t>& first_run) {
    std::vector<std::int64_t> gaps;
    std::int64_t lattice = 0;
    for (std::size_t i = 1; i < distinct.size(); ++i) {
        gaps.push_back(distinct[i].value - distinct[i - 1].value);
        lattice = std::gcd(lattice, gaps.back());
    }
    std::int64_t widest = 0;
    if (!gaps.empty()) {
        auto sorted = gaps;
        std::sort(sorted.begin(), sorted.end());
        widest = gap_factor * std::max(lattice, sorted[(sorted.size() - 1) / 2]);
    }
    std::vector<Mode> modes;
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        const std::int64_t run = first_run.at(distinct[i].value);
        if (i == 0 || gaps[i - 1] > widest)
            modes.push_back({distinct[i].value, distinct[i].value, 0, run});
        Mode& mode = modes.back();
        mode.highest = distinct[i].value;
        mode.count += distinct[i].count;
        mode.first_run = std::min(mode.first_run, run);
    }
    return modes;
}

} // namespace

Summary summarise(std::span<const std::int64_t> samples) {
    if (samples.empty()) throw std::logic_error{"a summary of no samples"};
    std::map<std::int64_t, std::int64_t> counts;
    std::map<std::int64_t, std::int64_t> first_run;
    for (std::size_t run = 0; run < samples.size(); ++run) {
        ++counts[samples[run]];
        first_run.emplace(samples[run], static_cast<std::int64_t>(run));
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
    summary.first_worst_run = first_run.at(summary.worst);
    // Differences to the best keep the digits that a large offset would take.
    double sum = 0;
    for (const std::int64_t value : sorted)
        sum += static_cast<double>(value - summary.best);
    const double mean = sum / static_cast<double>(sorted.size());
    double squares = 0;
    for (const std::int64_t value : sorted) {
        const double difference = static_cast<double>(value - summary.best) - mean;
        squares += difference * difference;
    }
    summary.mean = static_cast<double>(summary.best) + mean;
    if (sorted.size() > 1)
        summary.standard_deviation = std::sqrt(squares / static_cast<double>(sorted.size() - 1));
    std::vector<ValueCount> distinct;
    for (const auto& [value, count] : counts)
        distinct.push_back({value, count});
    summary.distinct = static_cast<std::int64_t>(distinct.size());
    summary.modes = modes_of(distinct, first_run);
    if (distinct.size() <= listed_values) summary.values = std::move(distinct);
    return summary;
}

} // namespace warpbound::harness

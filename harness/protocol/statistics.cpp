#include "harness/protocol/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace warpbound::harness {

namespace {

constexpr std::size_t listed_values = 64;

/// Smallest value that at least `percent` of the samples do not exceed.
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, std::size_t percent) {
    // ceil(percent * size / 100), split so that the product cannot overflow.
    const std::size_t size = sorted.size();
    const std::size_t rank = size / 100 * percent + (size % 100 * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

} // namespace

Summary summarise(std::span<const std::int64_t> samples) {
    if (samples.empty()) throw std::logic_error{"a summary of no samples"};
    Occurrences distinct;
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
    summary.clusters = clusters_of(distinct);
    summary.modes = modes_of(distinct, summary.clusters);
    if (distinct.size() <= listed_values)
        for (const auto& [value, seen] : distinct)
            summary.values.push_back({value, seen.count});
    return summary;
}

} // namespace warpbound::harness

#include "harness/protocol/modes.hpp"

#include "harness/protocol/dip_test.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>

namespace warpbound::harness {

namespace {

constexpr std::uint64_t gap_factor = 8;
constexpr std::size_t most_candidates = 24;
constexpr std::size_t density_points = 256;
constexpr double tested_times = 10'000;

/// Values of a range of a map, both ends included.
using Place = Occurrences::const_iterator;
struct Part {
    Place begin;
    Place end; ///< Past its last value.
};

Mode mode_of(const Part& part) {
    Mode mode{part.begin->first, std::prev(part.end)->first, 0, part.begin->second.first_run,
              part.begin->second.last_run};
    for (Place value = part.begin; value != part.end; ++value) {
        mode.count += value->second.count;
        mode.first_run = std::min(mode.first_run, value->second.first_run);
        mode.last_run = std::max(mode.last_run, value->second.last_run);
    }
    return mode;
}

/// The greatest common divisor of the differences; 1 for a single value.
double lattice_step(const Occurrences& distinct) {
    std::uint64_t step = 0;
    for (const auto& [value, seen] : distinct)
        step = std::gcd(step, value_distance(distinct.begin()->first, value));
    return step == 0 ? 1 : static_cast<double>(step);
}

/// The times of a part as differences to the smallest, the ties of a value spread evenly over a
/// step of the lattice around it.
std::vector<double> spread_times(const Part& part, double step) {
    double count = 0;
    for (Place value = part.begin; value != part.end; ++value)
        count += static_cast<double>(value->second.count);
    const double every = std::max(1.0, count / tested_times);
    std::vector<double> times;
    double rank = every / 2; // Of the next order statistic.
    double before = 0;
    for (Place value = part.begin; value != part.end; ++value) {
        const auto ties = static_cast<double>(value->second.count);
        const auto place =
            static_cast<double>(value_distance(part.begin->first, value->first)) - step / 2;
        for (; rank < before + ties; rank += every)
            times.push_back(place + step * (rank - before) / ties);
        before += ties;
    }
    return times;
}

/// The dip over the critical one: above 1 the times have more than one mode.
double rejection(const Part& part, double step) {
    const auto times = spread_times(part, step);
    return dip_of(times) / critical_dip(times.size());
}

/// Bandwidth for a normal distribution: 0.9 min(s, IQR / 1.34) n^(-1/5).
double bandwidth(const std::vector<double>& times) {
    const auto count = static_cast<double>(times.size());
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
    double squares = 0;
    for (const double time : times)
        squares += (time - mean) * (time - mean);
    const double quartiles = times[times.size() * 3 / 4] - times[times.size() / 4];
    return 0.9 * std::min(std::sqrt(squares / count), quartiles / 1.34) * std::pow(count, -0.2);
}

/// Places where a Gaussian kernel density of the times has a local minimum.
std::vector<double> valleys(const std::vector<double>& times, double step) {
    const double width = std::max(step, bandwidth(times));
    const double begin = times.front();
    const double spacing = (times.back() - begin) / static_cast<double>(density_points - 1);
    std::vector<double> binned(density_points, 0);
    for (const double time : times)
        binned[std::min(density_points - 1,
                        static_cast<std::size_t>((time - begin) / spacing + 0.5))] += 1;
    std::vector<double> density(density_points, 0);
    for (std::size_t at = 0; at < density_points; ++at)
        for (std::size_t bin = 0; bin < density_points; ++bin) {
            const double distance =
                (static_cast<double>(at) - static_cast<double>(bin)) * spacing / width;
            density[at] += binned[bin] * std::exp(-distance * distance / 2);
        }
    std::vector<double> places;
    for (std::size_t at = 1; at + 1 < density_points; ++at)
        if (density[at] < density[at - 1] && density[at] <= density[at + 1])
            places.push_back(begin + static_cast<double>(at) * spacing);
    return places;
}

/// First values of the candidates for modes, without that of the first one.
std::set<std::int64_t> candidates(const Occurrences& distinct, const std::vector<Mode>& clusters,
                                  double step) {
    std::set<std::int64_t> begins;
    const std::int64_t lowest = distinct.begin()->first;
    for (const double place : valleys(spread_times({distinct.begin(), distinct.end()}, step), step))
        for (const auto& [value, seen] : distinct)
            if (static_cast<double>(value_distance(lowest, value)) >= place) {
                if (value != lowest) begins.insert(value);
                break;
            }
    if (begins.size() + clusters.size() > most_candidates) return begins;
    for (const Mode& cluster : clusters)
        if (cluster.lowest != lowest) begins.insert(cluster.lowest);
    return begins;
}

} // namespace

std::uint64_t value_distance(std::int64_t smaller, std::int64_t larger) {
    return static_cast<std::uint64_t>(larger) - static_cast<std::uint64_t>(smaller);
}

std::vector<Mode> clusters_of(const Occurrences& distinct) {
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
    std::vector<Mode> clusters;
    auto gap = gaps.begin();
    for (Place value = distinct.begin(); value != distinct.end(); ++value) {
        if (clusters.empty() || *gap++ > widest)
            clusters.push_back(mode_of({value, std::next(value)}));
        else {
            Mode& cluster = clusters.back();
            cluster.highest = value->first;
            cluster.count += value->second.count;
            cluster.first_run = std::min(cluster.first_run, value->second.first_run);
            cluster.last_run = std::max(cluster.last_run, value->second.last_run);
        }
    }
    return clusters;
}

std::vector<Mode> modes_of(const Occurrences& distinct, const std::vector<Mode>& clusters) {
    const Part all{distinct.begin(), distinct.end()};
    const double step = lattice_step(distinct);
    if (distinct.size() < 2 || rejection(all, step) <= 1) return {mode_of(all)};
    std::vector<Part> parts{all};
    for (const std::int64_t begin : candidates(distinct, clusters, step)) {
        const Place at = distinct.find(begin);
        parts.back().end = at;
        parts.push_back({at, distinct.end()});
    }
    while (parts.size() > 1) {
        std::size_t most_alike = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const double rejected = rejection({parts[i].begin, parts[i + 1].end}, step);
            if (rejected < least) {
                least = rejected;
                most_alike = i;
            }
        }
        if (least > 1) break;
        parts[most_alike].end = parts[most_alike + 1].end;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(most_alike) + 1);
    }
    std::vector<Mode> modes;
    for (const Part& part : parts)
        modes.push_back(mode_of(part));
    return modes;
}

} // namespace warpbound::harness

#include "models/statistics/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpbound::models {

std::vector<double> block_maxima(std::span<const double> in_run_order, std::size_t block) {
    std::vector<double> maxima;
    for (std::size_t first = 0; first + block <= in_run_order.size(); first += block) {
        const auto runs = in_run_order.subspan(first, block);
        maxima.push_back(*std::max_element(runs.begin(), runs.end()));
    }
    return maxima;
}

Excesses excesses_over(std::span<const double> sorted, double threshold) {
    Excesses excesses{threshold, {}, sorted.size()};
    for (auto above = std::upper_bound(sorted.begin(), sorted.end(), threshold);
         above != sorted.end(); ++above)
        excesses.values.push_back(*above - threshold);
    return excesses;
}

std::optional<Excesses> largest_excesses(std::span<const double> sorted, std::size_t count) {
    if (count == 0 || count >= sorted.size()) return std::nullopt;
    const std::size_t first = sorted.size() - count;
    if (sorted[first] == sorted[first - 1]) return std::nullopt;
    return excesses_over(sorted, sorted[first - 1]);
}

double Lattice::nearest(double value) const {
    return step <= 0 ? value : anchor + step * std::round((value - anchor) / step);
}

double Lattice::half_step_above(double value) const {
    // A value on the lattice may be a rounding error below it.
    constexpr double rounding = 1e-9;
    return step <= 0 ? value
                     : anchor + step * (std::floor((value - anchor) / step + rounding) + 0.5);
}

Excesses over_half_step(Excesses excesses, const Lattice& lattice) {
    const double threshold = lattice.half_step_above(excesses.threshold);
    for (double& value : excesses.values)
        value -= threshold - excesses.threshold;
    excesses.threshold = threshold;
    return excesses;
}

std::int64_t lattice_step(std::span<const std::int64_t> values) {
    std::int64_t step = 0;
    for (const std::int64_t value : values)
        step = std::gcd(step, value - values.front());
    return step;
}

} // namespace warpbound::models

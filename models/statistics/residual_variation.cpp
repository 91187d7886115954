#include "models/statistics/residual_variation.hpp"

#include <algorithm>
#include <cmath>

namespace warpbound::models {

namespace {

constexpr double two_sided_five_percent = 1.959963984540054;
/// Up to here the band is too wide to accept a tail; it may reject one.
constexpr std::size_t most_undecided = 50;
constexpr std::size_t fewest_plotted = 11;

} // namespace

namespace {

/// sqrt(mean^2 - step^2 / 4); 0 where all excesses are in the first step.
double scale_on_lattice(double mean, double step) {
    return std::sqrt(std::max(0.0, (mean - step / 2) * (mean + step / 2)));
}

} // namespace

double residual_variation(std::span<const double> excesses) {
    return residual_variation(excesses, 0);
}

double residual_variation(std::span<const double> excesses, double step) {
    const auto n = static_cast<double>(excesses.size());
    double mean = 0;
    for (const double excess : excesses)
        mean += excess;
    mean /= n;
    double squares = 0;
    for (const double excess : excesses)
        squares += (excess - mean) * (excess - mean);
    return std::sqrt(squares / n) / scale_on_lattice(mean, step);
}

double shape_of_variation(double variation) {
    return (1 - 1 / (variation * variation)) / 2;
}

double variation_band(std::size_t count) {
    return two_sided_five_percent / std::sqrt(static_cast<double>(count));
}

std::vector<VariationPoint> variation_plot(std::span<const double> sorted, const Lattice& lattice,
                                           std::optional<std::size_t> most) {
    std::vector<VariationPoint> plot;
    if (sorted.empty()) return plot;
    // Sums of differences to the largest value: a large offset would cost digits.
    const double largest = sorted.back();
    double sum = 0;
    double squares = 0;
    for (std::size_t count = 1; count <= most.value_or(sorted.size() / 2); ++count) {
        const std::size_t first = sorted.size() - count;
        const double below = largest - sorted[first];
        sum += below;
        squares += below * below;
        if (count < fewest_plotted || sorted[first] == sorted[first - 1]) continue;
        const auto k = static_cast<double>(count);
        const double threshold = lattice.half_step_above(sorted[first - 1]);
        const double scale = scale_on_lattice((largest - threshold) - sum / k, lattice.step);
        const double variance = std::max(0.0, squares / k - sum / k * (sum / k));
        if (scale > 0) plot.push_back({count, sorted[first - 1], std::sqrt(variance) / scale});
    }
    return plot;
}

VariationChoice choose_by_variation(std::span<const VariationPoint> plot) {
    VariationChoice choice;
    for (const VariationPoint& point : plot) {
        const bool above = point.variation > 1 + variation_band(point.count);
        if (point.count <= most_undecided) {
            if (above && !choice.heavy) choice.heavy = point;
            continue;
        }
        if (above) break;
        if (!choice.chosen ||
            std::abs(point.variation - 1) < std::abs(choice.chosen->variation - 1))
            choice.chosen = point;
    }
    return choice;
}

} // namespace warpbound::models

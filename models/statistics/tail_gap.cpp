#include "models/statistics/tail_gap.hpp"

#include "models/statistics/limit_distributions.hpp"
#include "models/statistics/maximum_likelihood.hpp"
#include "models/statistics/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpbound::models {

namespace {

constexpr std::size_t replicates = 999;

struct LargestSpacing {
    double share = 0;
    std::size_t above = 0;
};

/// `excesses`: increasing, over a value that counts as 0.
LargestSpacing largest_spacing(std::span<const double> excesses) {
    double sum = 0;
    double largest = 0;
    LargestSpacing found;
    for (std::size_t above = 1; above <= excesses.size(); ++above) {
        const std::size_t at = excesses.size() - above;
        const double spacing = excesses[at] - (at == 0 ? 0 : excesses[at - 1]);
        const double weighted = spacing * static_cast<double>(above);
        sum += weighted;
        if (weighted > largest) {
            largest = weighted;
            found.above = above;
        }
    }
    found.share = sum > 0 ? largest / sum : 0;
    return found;
}

/// The excesses as an exponential tail has them, where the fitted shape is negative.
std::vector<double> straightened(std::vector<double> excesses) {
    std::vector<double> positive;
    for (const double excess : excesses)
        if (excess > 0) positive.push_back(excess);
    const auto fit = fit_pareto(positive);
    if (!fit || fit->distribution.shape >= 0) return excesses;
    auto [scale, shape] = fit->distribution;
    if (shape < -0.5) {
        shape = -0.5; // Keeps the end point of the fit.
        scale *= 0.5 / -fit->distribution.shape;
    }
    for (double& excess : excesses)
        excess = std::log1p(shape * excess / scale) / shape;
    return excesses;
}

double resampled_p_value(double share, std::size_t count, double mean, double lattice,
                         std::uint64_t seed) {
    const Exponential source{std::max(mean - lattice / 2, 0.1 * mean)};
    std::size_t as_large = 0;
    std::vector<double> drawn(count);
    for (std::size_t number = 0; number < replicates; ++number) {
        Resampling random{seed, "tail gap", number};
        for (double& value : drawn)
            value = lattice * std::ceil(excess_at(source, -std::log(random.uniform())) / lattice);
        std::sort(drawn.begin(), drawn.end());
        if (largest_spacing(straightened(drawn)).share >= share) ++as_large;
    }
    return (1 + static_cast<double>(as_large)) / (1 + static_cast<double>(replicates));
}

} // namespace

std::optional<TailGap> tail_gap(std::span<const double> sorted, std::size_t count, double lattice,
                                std::uint64_t seed) {
    if (count == 0 || count >= sorted.size()) return std::nullopt;
    const std::size_t first = sorted.size() - count;
    const double threshold = sorted[first - 1];
    if (!(sorted.back() > threshold)) return std::nullopt;
    std::vector<double> excesses;
    double mean = 0;
    bool tied = false;
    for (std::size_t i = first; i < sorted.size(); ++i) {
        tied = tied || sorted[i] == sorted[i - 1];
        excesses.push_back(sorted[i] - threshold);
        mean += excesses.back() / static_cast<double>(count);
    }
    const auto largest = largest_spacing(straightened(excesses));
    TailGap gap;
    gap.share = largest.share;
    gap.above = largest.above;
    gap.to = sorted[sorted.size() - largest.above];
    gap.from = sorted[sorted.size() - largest.above - 1];
    gap.spacings = count;
    gap.resampled = tied && lattice > 0;
    gap.p_value = gap.resampled ? resampled_p_value(gap.share, count, mean, lattice, seed)
                                : largest_share_exceedance(gap.share, static_cast<int>(count));
    return gap;
}

} // namespace warpbound::models

#include "models/statistics/tail_gap.hpp"

#include "models/statistics/goodness_of_fit.hpp"
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

double resampled_p_value(double share, std::span<const double> excesses, const Lattice& lattice,
                         std::uint64_t seed) {
    const auto source = fit_exponential_on_lattice(excesses, lattice.step);
    if (!source) return 1; // All in one step: there is no gap.
    std::size_t as_large = 0;
    std::vector<double> replicate(excesses.size());
    for (std::size_t number = 0; number < replicates; ++number) {
        Resampling random{seed, "tail gap", number};
        for (double& value : replicate)
            value = drawn(*source, random.uniform(), lattice);
        std::sort(replicate.begin(), replicate.end());
        if (largest_spacing(straightened(replicate)).share >= share) ++as_large;
    }
    return (1 + static_cast<double>(as_large)) / (1 + static_cast<double>(replicates));
}

} // namespace

std::optional<TailGap> tail_gap(std::span<const double> sorted, std::size_t count,
                                const Lattice& lattice, std::uint64_t seed) {
    if (count == 0 || count >= sorted.size()) return std::nullopt;
    // Runs that are tied with the threshold are not split: the excesses begin below all of them.
    std::size_t first = sorted.size() - count;
    while (first > 0 && sorted[first - 1] == sorted[sorted.size() - count])
        --first;
    if (first == 0 || sorted[first] == sorted.back()) return std::nullopt;
    const auto excesses = [&] {
        const auto over = largest_excesses(sorted, sorted.size() - first).value();
        return lattice.step > 0 ? over_half_step(over, lattice) : over;
    }();
    const auto& values = excesses.values;
    const bool tied = std::adjacent_find(values.begin(), values.end()) != values.end();
    const auto largest = largest_spacing(straightened(values));
    TailGap gap;
    gap.share = largest.share;
    gap.above = largest.above;
    gap.to = sorted[sorted.size() - largest.above];
    gap.from = sorted[sorted.size() - largest.above - 1];
    gap.spacings = values.size();
    gap.resampled = tied && lattice.step > 0;
    gap.p_value = gap.resampled
                      ? resampled_p_value(gap.share, values, lattice, seed)
                      : largest_share_exceedance(gap.share, static_cast<int>(values.size()));
    return gap;
}

} // namespace warpbound::models

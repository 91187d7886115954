#include "models/statistics/goodness_of_fit.hpp"

#include "models/statistics/maximum_likelihood.hpp"
#include "models/statistics/per_run.hpp"
#include "models/statistics/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpbound::models {

namespace {

template <typename Distribution>
std::vector<double> probabilities_of(const Distribution& distribution,
                                     std::span<const double> sorted) {
    std::vector<double> probabilities;
    probabilities.reserve(sorted.size());
    for (const double value : sorted)
        probabilities.push_back(cumulative(distribution, value));
    return probabilities;
}

/// A maximum on the lattice of the sample, whose values differ from `anchor` by multiples of it.
template <MaximaDistribution Distribution>
double drawn(const Distribution& distribution, double uniform, double lattice, double anchor) {
    const double value = value_at(distribution, -std::log(uniform));
    if (lattice <= 0) return value;
    return anchor + lattice * std::round((value - anchor) / lattice);
}

/// An excess on the lattice: a multiple of it that is at least one step.
template <ExcessDistribution Distribution>
double drawn(const Distribution& distribution, double uniform, double lattice, double) {
    const double value = excess_at(distribution, -std::log(uniform));
    if (lattice <= 0) return value;
    return lattice * std::max(1.0, std::ceil(value / lattice));
}

/// Excesses rounded up to the lattice are half a step longer on average: the distribution that
/// gives the fitted mean is shorter.
template <typename Distribution>
Distribution before_rounding(Distribution distribution, std::span<const double> sorted,
                             double lattice) {
    if constexpr (ExcessDistribution<Distribution>) {
        const double mean = mean_of(sorted);
        distribution.scale *= std::max(0.1, (mean - lattice / 2) / mean);
    }
    return distribution;
}

} // namespace

double anderson_darling(std::span<const double> probabilities) {
    const std::size_t size = probabilities.size();
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i)
        sum += (2 * static_cast<double>(i) + 1) *
               (std::log(probabilities[i]) + std::log1p(-probabilities[size - 1 - i]));
    const auto n = static_cast<double>(size);
    return -n - sum / n;
}

double cramer_von_mises(std::span<const double> probabilities) {
    const auto n = static_cast<double>(probabilities.size());
    double sum = 1 / (12 * n);
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const double difference = probabilities[i] - (2 * static_cast<double>(i) + 1) / (2 * n);
        sum += difference * difference;
    }
    return sum;
}

template <typename Distribution>
GoodnessOfFit goodness_of_fit(const Distribution& distribution, std::span<const double> sorted,
                              const Estimator<Distribution>& estimator, const BootstrapPlan& plan) {
    const auto observed = probabilities_of(distribution, sorted);
    GoodnessOfFit result{{anderson_darling(observed), 1}, {cramer_von_mises(observed), 1}, 0};
    const auto source = before_rounding(distribution, sorted, plan.lattice);
    std::size_t a2_as_large = 0;
    std::size_t w2_as_large = 0;
    std::vector<double> replicate(sorted.size());
    for (std::size_t number = 0; number < plan.replicates; ++number) {
        Resampling random{plan.seed, "goodness of fit", number};
        for (double& value : replicate)
            value = drawn(source, random.uniform(), plan.lattice, sorted.front());
        std::sort(replicate.begin(), replicate.end());
        const auto fitted = estimator(replicate);
        ++result.replicates;
        // A replicate that cannot be fitted counts as unlike the model: the p-value errs small.
        if (!fitted) continue;
        const auto probabilities = probabilities_of(*fitted, replicate);
        // Not `>=` alone: a statistic that is not a number counts as large on both sides.
        if (!(anderson_darling(probabilities) < result.a2.statistic)) ++a2_as_large;
        if (!(cramer_von_mises(probabilities) < result.w2.statistic)) ++w2_as_large;
    }
    const auto of_all = [&](std::size_t as_large) {
        return (1 + static_cast<double>(as_large)) / (1 + static_cast<double>(result.replicates));
    };
    result.a2.p_value = of_all(a2_as_large);
    result.w2.p_value = of_all(w2_as_large);
    return result;
}

template GoodnessOfFit goodness_of_fit(const Gumbel&, std::span<const double>,
                                       const Estimator<Gumbel>&, const BootstrapPlan&);
template GoodnessOfFit goodness_of_fit(const GeneralizedExtremeValue&, std::span<const double>,
                                       const Estimator<GeneralizedExtremeValue>&,
                                       const BootstrapPlan&);
template GoodnessOfFit goodness_of_fit(const Exponential&, std::span<const double>,
                                       const Estimator<Exponential>&, const BootstrapPlan&);
template GoodnessOfFit goodness_of_fit(const GeneralizedPareto&, std::span<const double>,
                                       const Estimator<GeneralizedPareto>&, const BootstrapPlan&);

} // namespace warpbound::models

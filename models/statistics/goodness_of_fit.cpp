#include "models/statistics/goodness_of_fit.hpp"

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
    std::size_t a2_as_large = 0;
    std::size_t w2_as_large = 0;
    std::vector<double> replicate(sorted.size());
    for (std::size_t number = 0; number < plan.replicates; ++number) {
        Resampling random{plan.seed, "goodness of fit", number};
        for (double& value : replicate)
            value = drawn(distribution, random.uniform(), plan.lattice);
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

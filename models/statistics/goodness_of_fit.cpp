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

struct Statistics {
    double a2 = 0;
    double w2 = 0;
};

Statistics continuous(std::span<const double> probabilities) {
    return {anderson_darling(probabilities), cramer_von_mises(probabilities)};
}

/// The statistics of the steps of a lattice: of values in the middle of steps of which the first
/// begins at `begin`. Of values taken as continuous they would grow with the number of ties, by
/// more for one fitted scale than for another, and replicates would not be like the sample.
/// Outside the steps that have values it is the integral of the continuous statistics.
/// `Source:` Choulakian, Lockhart and Stephens 1994, eq. 1 and 3.
template <typename Distribution>
Statistics of_steps(const Distribution& distribution, std::span<const double> sorted, double begin,
                    double step) {
    const auto n = static_cast<double>(sorted.size());
    double before = cumulative(distribution, begin);
    double difference = -n * before; // Observed minus expected number up to the step.
    Statistics sum{-n * (std::log1p(-before) + before), n * before * before * before / 3};
    const auto add = [&](double observed, double cumulated) {
        const double probability = cumulated - before;
        difference += observed - n * probability;
        before = cumulated;
        const double term = difference * difference * probability / n;
        sum.w2 += term;
        if (cumulated > 0 && cumulated < 1) sum.a2 += term / (cumulated * (1 - cumulated));
    };
    std::size_t next = 0;
    for (double number = 1; next < sorted.size(); ++number) {
        const double end = begin + number * step;
        const std::size_t first = next;
        while (next < sorted.size() && sorted[next] < end)
            ++next;
        add(static_cast<double>(next - first), cumulative(distribution, end));
    }
    const double above = 1 - before;
    sum.a2 -= n * (std::log1p(-above) + above);
    sum.w2 += n * above * above * above / 3;
    return sum;
}

/// So many steps are as good as continuous.
constexpr double most_steps = 4096;

bool has_wide_steps(std::span<const double> sorted, double step) {
    return step > 0 && sorted.back() - sorted.front() <= most_steps * step;
}

template <typename Distribution>
Statistics statistics_of(const Distribution& distribution, std::span<const double> sorted,
                         double step) {
    if (step <= 0) return continuous(probabilities_of(distribution, sorted));
    const double begin = MaximaDistribution<Distribution> ? sorted.front() - step / 2 : 0;
    return of_steps(distribution, sorted, begin, step);
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
    const double step = has_wide_steps(sorted, plan.lattice.step) ? plan.lattice.step : 0;
    const auto observed = statistics_of(distribution, sorted, step);
    GoodnessOfFit result{{observed.a2, 1}, {observed.w2, 1}, 0};
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
        const auto drawn_again = statistics_of(*fitted, replicate, step);
        // Not `>=` alone: a statistic that is not a number counts as large on both sides.
        if (!(drawn_again.a2 < result.a2.statistic)) ++a2_as_large;
        if (!(drawn_again.w2 < result.w2.statistic)) ++w2_as_large;
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

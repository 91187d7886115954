#include "models/statistics/maximum_likelihood.hpp"

#include "models/statistics/l_moments.hpp"
#include "models/statistics/nelder_mead.hpp"

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpbound::models {

namespace {

constexpr double regular_above = -0.5;
constexpr double smallest_shape = -0.999;

bool is_constant(std::span<const double> values) {
    return values.empty() || std::all_of(values.begin(), values.end(),
                                         [&](double value) { return value == values.front(); });
}

/// Moments of the sample under weights exp(-(x - lowest) / scale).
struct WeightedMoments {
    double sum = 0;
    double mean = 0;
    double variance = 0;
};

WeightedMoments weighted(std::span<const double> values, double lowest, double scale) {
    double sum = 0;
    double first = 0;
    double second = 0;
    for (const double value : values) {
        const double difference = value - lowest;
        const double weight = std::exp(-difference / scale);
        sum += weight;
        first += weight * difference;
        second += weight * difference * difference;
    }
    first /= sum;
    return {sum, first, second / sum - first * first};
}

/// One point of Grimshaw's profile: the best GPD with xi / sigma = theta.
struct ProfilePoint {
    GeneralizedPareto distribution;
    double nll = HUGE_VAL;
};

ProfilePoint profile_at(double theta, std::span<const double> excesses, double mean) {
    double shape = 0;
    for (const double excess : excesses)
        shape += std::log1p(theta * excess);
    const auto n = static_cast<double>(excesses.size());
    shape /= n;
    const double scale = theta == 0 ? mean : shape / theta;
    if (!(shape > smallest_shape) || !(scale > 0)) return {};
    return {{scale, shape}, n * (std::log(scale) + shape + 1)};
}

} // namespace

double mean_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

double negative_log_likelihood(const Gumbel& distribution, std::span<const double> maxima) {
    if (!(distribution.scale > 0)) return HUGE_VAL;
    double sum = static_cast<double>(maxima.size()) * std::log(distribution.scale);
    for (const double value : maxima) {
        const double reduced = (value - distribution.location) / distribution.scale;
        sum += reduced + std::exp(-reduced);
    }
    return sum;
}

double negative_log_likelihood(const GeneralizedExtremeValue& distribution,
                               std::span<const double> maxima) {
    if (!(distribution.scale > 0)) return HUGE_VAL;
    const double shape = distribution.shape;
    double sum = static_cast<double>(maxima.size()) * std::log(distribution.scale);
    for (const double value : maxima) {
        const double reduced = (value - distribution.location) / distribution.scale;
        if (shape * reduced <= -1) return HUGE_VAL;
        // t = ln(1 + shape reduced) / shape, which is `reduced` at shape 0.
        const double t = shape == 0 ? reduced : std::log1p(shape * reduced) / shape;
        sum += (1 + shape) * t + std::exp(-t);
    }
    return sum;
}

double negative_log_likelihood(const Exponential& distribution, std::span<const double> excesses) {
    if (!(distribution.scale > 0)) return HUGE_VAL;
    return static_cast<double>(excesses.size()) *
           (std::log(distribution.scale) + mean_of(excesses) / distribution.scale);
}

double negative_log_likelihood(const GeneralizedPareto& distribution,
                               std::span<const double> excesses) {
    if (!(distribution.scale > 0)) return HUGE_VAL;
    const double shape = distribution.shape;
    double sum = static_cast<double>(excesses.size()) * std::log(distribution.scale);
    for (const double excess : excesses) {
        const double reduced = excess / distribution.scale;
        if (shape * reduced <= -1) return HUGE_VAL;
        sum += (1 + shape) * (shape == 0 ? reduced : std::log1p(shape * reduced) / shape);
    }
    return sum;
}

std::optional<LikelihoodFit<Gumbel>> fit_gumbel(std::span<const double> maxima) {
    if (is_constant(maxima)) return std::nullopt;
    const double lowest = *std::min_element(maxima.begin(), maxima.end());
    double mean = 0;
    for (const double value : maxima)
        mean += value - lowest;
    mean /= static_cast<double>(maxima.size());
    // mean - scale - (weighted mean) falls from the mean at scale 0 to below 0 at the mean.
    double lo = 0;
    double hi = mean;
    double scale = mean / 2;
    for (int step = 0; step < 100; ++step) {
        const WeightedMoments moments = weighted(maxima, lowest, scale);
        const double value = mean - scale - moments.mean;
        (value > 0 ? lo : hi) = scale;
        double next = scale + value / (1 + moments.variance / (scale * scale));
        if (!(next > lo && next < hi)) next = (lo + hi) / 2;
        const double change = std::abs(next - scale);
        scale = next;
        if (change <= 1e-13 * scale) break;
    }
    const double sum = weighted(maxima, lowest, scale).sum;
    const Gumbel fit{lowest - scale * std::log(sum / static_cast<double>(maxima.size())), scale};
    return LikelihoodFit<Gumbel>{fit, negative_log_likelihood(fit, maxima), false};
}

std::optional<LikelihoodFit<GeneralizedExtremeValue>>
fit_extreme_value(std::span<const double> maxima) {
    const auto gumbel = fit_gumbel(maxima);
    if (!gumbel || maxima.size() < 3) return std::nullopt;
    const auto [location, scale] = gumbel->distribution;
    const auto distribution_at = [&](const Variable<3>& at) {
        return GeneralizedExtremeValue{location + scale * at[0], scale * std::exp(at[1]), at[2]};
    };
    const auto nll = [&](const Variable<3>& at) {
        if (at[2] < smallest_shape) return HUGE_VAL;
        return negative_log_likelihood(distribution_at(at), maxima);
    };
    Variable<3> start{0, 0, 0}; // The Gumbel fit has every value in its support.
    std::vector<double> sorted{maxima.begin(), maxima.end()};
    std::sort(sorted.begin(), sorted.end());
    if (const auto moments = extreme_value_by_l_moments(l_moments(sorted))) {
        const Variable<3> near{(moments->location - location) / scale,
                               std::log(moments->scale / scale), moments->shape};
        if (nll(near) < nll(start)) start = near;
    }
    const auto best = minimise<3>(nll, start, 0.1);
    const auto fit = distribution_at(best.at);
    return LikelihoodFit<GeneralizedExtremeValue>{fit, best.value, fit.shape <= regular_above};
}

std::optional<LikelihoodFit<Exponential>> fit_exponential(std::span<const double> excesses) {
    if (excesses.empty()) return std::nullopt;
    const Exponential fit{mean_of(excesses)};
    if (!(fit.scale > 0)) return std::nullopt;
    return LikelihoodFit<Exponential>{fit, negative_log_likelihood(fit, excesses), false};
}

std::optional<Exponential> fit_exponential_on_lattice(std::span<const double> excesses,
                                                      double step) {
    const auto plain = fit_exponential(excesses);
    if (!plain || step <= 0) return plain ? std::optional{plain->distribution} : std::nullopt;
    const double mean = plain->distribution.scale;
    if (!(mean > step / 2)) return std::nullopt;
    // 2 atanh(x) = ln((1 + x) / (1 - x)).
    return Exponential{step / (2 * std::atanh(step / (2 * mean)))};
}

std::optional<LikelihoodFit<GeneralizedPareto>> fit_pareto(std::span<const double> excesses) {
    if (is_constant(excesses)) return std::nullopt;
    const double largest = *std::max_element(excesses.begin(), excesses.end());
    const double mean = mean_of(excesses);
    // theta > -1 / largest. The grid in w = ln(1 + theta largest) brackets the best local maximum.
    const auto at = [&](double w) { return profile_at(std::expm1(w) / largest, excesses, mean); };
    constexpr double first = -12;
    constexpr double step = 0.25;
    constexpr int points = 97;
    int best = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < points; ++i)
        if (const double nll = at(first + i * step).nll; nll < least) {
            least = nll;
            best = i;
        }
    if (best < 0) return std::nullopt;
    const auto minimum = boost::math::tools::brent_find_minima([&](double w) { return at(w).nll; },
                                                               first + (best - 1) * step,
                                                               first + (best + 1) * step, 40);
    ProfilePoint point = at(minimum.first);
    if (!(point.nll <= least)) point = at(first + best * step);
    return LikelihoodFit<GeneralizedPareto>{point.distribution, point.nll,
                                            point.distribution.shape <= regular_above};
}

double negative_log_likelihood_on_lattice(const GeneralizedPareto& distribution,
                                          std::span<const double> excesses, double step) {
    if (!(distribution.scale > 0)) return HUGE_VAL;
    double sum = 0;
    for (std::size_t first = 0; first < excesses.size();) {
        std::size_t end = first + 1;
        while (end < excesses.size() && excesses[end] == excesses[first])
            ++end;
        const double probability = exceedance(distribution, excesses[first] - step / 2) -
                                   exceedance(distribution, excesses[first] + step / 2);
        if (!(probability > 0)) return HUGE_VAL;
        sum -= static_cast<double>(end - first) * std::log(probability);
        first = end;
    }
    return sum;
}

std::optional<LikelihoodFit<GeneralizedPareto>>
fit_pareto_on_lattice(std::span<const double> excesses, double step) {
    const auto middles = fit_pareto(excesses);
    constexpr double wide = 0.1;
    if (!middles || step <= wide * mean_of(excesses)) return middles;
    const auto distribution_at = [&](const Variable<2>& at) {
        return GeneralizedPareto{middles->distribution.scale * std::exp(at[0]), at[1]};
    };
    const auto nll = [&](const Variable<2>& at) {
        if (at[1] < smallest_shape) return HUGE_VAL;
        return negative_log_likelihood_on_lattice(distribution_at(at), excesses, step);
    };
    const auto best = minimise<2>(nll, {0, middles->distribution.shape}, 0.1);
    const auto fit = distribution_at(best.at);
    return LikelihoodFit<GeneralizedPareto>{fit, best.value, fit.shape <= regular_above};
}

double heavy_tail_p_value(double light_nll, double fitted_nll, double fitted_shape) {
    if (!(fitted_shape > 0)) return 1;
    // Half of P(chi-squared_1 > 2 d) = erfc(sqrt(d)).
    return std::erfc(std::sqrt(std::max(0.0, light_nll - fitted_nll))) / 2;
}

} // namespace warpbound::models

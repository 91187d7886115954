#pragma once
/// \file
/// Fits by maximum likelihood.
///
/// `Source:` Coles 2001, sections 3.3.2 and 4.3.2; Grimshaw 1993 for the profile of the GPD; Smith
/// 1985 for the limit of regularity.

#include "models/statistics/extreme_value.hpp"

#include <optional>
#include <span>

namespace warpbound::models {

/// Their arithmetic mean, in their unit. Requires: at least one value.
double mean_of(std::span<const double> values);

template <typename Distribution> struct LikelihoodFit {
    Distribution distribution;
    double negative_log_likelihood = 0;
    /// Shape at most -1/2: the usual theory of the estimator does not hold there.
    bool irregular = false;
};

/// Negative log likelihood of the sample; infinite where a value is outside the support.
double negative_log_likelihood(const Gumbel& distribution, std::span<const double> maxima);
double negative_log_likelihood(const GeneralizedExtremeValue& distribution,
                               std::span<const double> maxima);
double negative_log_likelihood(const Exponential& distribution, std::span<const double> excesses);
double negative_log_likelihood(const GeneralizedPareto& distribution,
                               std::span<const double> excesses);

/// None for fewer than two distinct values. Requires: finite values.
std::optional<LikelihoodFit<Gumbel>> fit_gumbel(std::span<const double> maxima);
/// The local maximum next to the L-moments with shape above -1: below it the likelihood has none.
std::optional<LikelihoodFit<GeneralizedExtremeValue>>
fit_extreme_value(std::span<const double> maxima);
/// Requires: positive values.
std::optional<LikelihoodFit<Exponential>> fit_exponential(std::span<const double> excesses);
/// Of excesses in the middle of steps (`over_half_step`), by the probabilities of the steps: the
/// scale is step / ln((mean + step / 2) / (mean - step / 2)), and the mean at step 0. None where
/// all are in the first step. `Source:` Kulldorff 1961, grouped samples with equal steps.
std::optional<Exponential> fit_exponential_on_lattice(std::span<const double> excesses,
                                                      double step);
/// Shape above -1, as of the GEV. Requires: positive values.
std::optional<LikelihoodFit<GeneralizedPareto>> fit_pareto(std::span<const double> excesses);

/// Negative log likelihood of excesses in the middle of steps, by the probabilities of the steps.
double negative_log_likelihood_on_lattice(const GeneralizedPareto& distribution,
                                          std::span<const double> excesses, double step);
/// The fit by the probabilities of the steps where these are wide, more than a tenth of the scale;
/// else, and at step 0, `fit_pareto`. Middles of wide steps make the shape too small, by 0.07 at
/// steps of two thirds of the scale.
std::optional<LikelihoodFit<GeneralizedPareto>>
fit_pareto_on_lattice(std::span<const double> excesses, double step);

/// Probability that the likelihood ratio against shape 0 is as large, if the shape is 0 and the
/// alternative is a heavy tail: half the chi-squared probability of one degree of freedom; 1 for a
/// fitted shape of at most 0. `Source:` Self and Liang 1987, case 5.
double heavy_tail_p_value(double light_nll, double fitted_nll, double fitted_shape);

} // namespace warpbound::models

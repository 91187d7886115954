#pragma once
/// \file
/// Distributions of extreme values: Gumbel, generalized extreme value (GEV), generalized Pareto
/// (GPD), exponential. Exceedance probabilities stay exact where 1 - p loses digits.
///
/// `Source:` Coles 2001, sections 3.1 and 4.2. The shape is xi: positive is a heavy tail, negative
/// has an end point; Hosking's kappa is -xi.

namespace warpbound::models {

/// Distribution of maxima with shape 0: exp(-exp(-(x - location) / scale)).
struct Gumbel {
    double location = 0;
    double scale = 1; ///< Positive.

    friend bool operator==(const Gumbel&, const Gumbel&) = default;
};

/// Distribution of maxima: exp(-(1 + shape (x - location) / scale)^(-1 / shape)).
struct GeneralizedExtremeValue {
    double location = 0;
    double scale = 1; ///< Positive.
    double shape = 0;

    friend bool operator==(const GeneralizedExtremeValue&,
                           const GeneralizedExtremeValue&) = default;
};

/// Distribution of excesses over a threshold: 1 - exp(-z / scale).
struct Exponential {
    double scale = 1; ///< Positive; the mean excess.

    friend bool operator==(const Exponential&, const Exponential&) = default;
};

/// Distribution of excesses over a threshold: 1 - (1 + shape z / scale)^(-1 / shape).
struct GeneralizedPareto {
    double scale = 1; ///< Positive.
    double shape = 0;

    friend bool operator==(const GeneralizedPareto&, const GeneralizedPareto&) = default;
};

/// (exp(shape t) - 1) / shape, continuous at shape 0, where it is t.
double box_cox(double t, double shape);

/// Probability that the variable is at most `x`.
double cumulative(const Gumbel& distribution, double x);
double cumulative(const GeneralizedExtremeValue& distribution, double x);
double cumulative(const Exponential& distribution, double z);
double cumulative(const GeneralizedPareto& distribution, double z);

/// Probability that the variable exceeds `x`, exact for small ones.
double exceedance(const Gumbel& distribution, double x);
double exceedance(const GeneralizedExtremeValue& distribution, double x);
double exceedance(const Exponential& distribution, double z);
double exceedance(const GeneralizedPareto& distribution, double z);

/// The value of a maximum whose cumulative probability is exp(-y). Requires: y > 0.
double value_at(const Gumbel& distribution, double y);
double value_at(const GeneralizedExtremeValue& distribution, double y);
/// The excess whose exceedance probability is exp(-t). Requires: t >= 0.
double excess_at(const Exponential& distribution, double t);
double excess_at(const GeneralizedPareto& distribution, double t);

} // namespace warpbound::models

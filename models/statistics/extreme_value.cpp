#include "models/statistics/extreme_value.hpp"

#include <cmath>

namespace warpbound::models {

namespace {

/// -ln of the cumulative probability of a maximum; infinite below a lower end point, 0 above an
/// upper one.
double minus_log_cumulative(const GeneralizedExtremeValue& distribution, double x) {
    const double reduced = (x - distribution.location) / distribution.scale;
    const double scaled = distribution.shape * reduced;
    if (distribution.shape == 0) return std::exp(-reduced);
    if (scaled <= -1) return distribution.shape > 0 ? HUGE_VAL : 0;
    return std::exp(-std::log1p(scaled) / distribution.shape);
}

/// -ln of the exceedance probability of an excess; infinite above an end point.
double minus_log_exceedance(const GeneralizedPareto& distribution, double z) {
    if (z <= 0) return 0;
    const double reduced = z / distribution.scale;
    const double scaled = distribution.shape * reduced;
    if (distribution.shape == 0) return reduced;
    if (scaled <= -1) return HUGE_VAL;
    return std::log1p(scaled) / distribution.shape;
}

} // namespace

double box_cox(double t, double shape) {
    // expm1 keeps its digits for small arguments: no series is needed around shape 0.
    return shape == 0 ? t : std::expm1(shape * t) / shape;
}

double cumulative(const Gumbel& distribution, double x) {
    return std::exp(-std::exp(-(x - distribution.location) / distribution.scale));
}

double cumulative(const GeneralizedExtremeValue& distribution, double x) {
    return std::exp(-minus_log_cumulative(distribution, x));
}

double cumulative(const Exponential& distribution, double z) {
    return z <= 0 ? 0 : -std::expm1(-z / distribution.scale);
}

double cumulative(const GeneralizedPareto& distribution, double z) {
    return -std::expm1(-minus_log_exceedance(distribution, z));
}

double exceedance(const Gumbel& distribution, double x) {
    return -std::expm1(-std::exp(-(x - distribution.location) / distribution.scale));
}

double exceedance(const GeneralizedExtremeValue& distribution, double x) {
    return -std::expm1(-minus_log_cumulative(distribution, x));
}

double exceedance(const Exponential& distribution, double z) {
    return z <= 0 ? 1 : std::exp(-z / distribution.scale);
}

double exceedance(const GeneralizedPareto& distribution, double z) {
    return std::exp(-minus_log_exceedance(distribution, z));
}

double value_at(const Gumbel& distribution, double y) {
    return distribution.location - distribution.scale * std::log(y);
}

double value_at(const GeneralizedExtremeValue& distribution, double y) {
    return distribution.location + distribution.scale * box_cox(-std::log(y), distribution.shape);
}

double excess_at(const Exponential& distribution, double t) {
    return distribution.scale * t;
}

double excess_at(const GeneralizedPareto& distribution, double t) {
    return distribution.scale * box_cox(t, distribution.shape);
}

} // namespace warpbound::models

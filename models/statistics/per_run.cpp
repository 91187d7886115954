#include "models/statistics/per_run.hpp"

#include <algorithm>

namespace warpbound::models {

namespace {

double shape_in(const Gumbel&) {
    return 0;
}
double shape_in(const Exponential&) {
    return 0;
}
double shape_in(const GeneralizedExtremeValue& distribution) {
    return distribution.shape;
}
double shape_in(const GeneralizedPareto& distribution) {
    return distribution.shape;
}
template <typename Distribution>
const Distribution& distribution_of(const BlockMaximaFit<Distribution>& fit) {
    return fit.maxima;
}
template <typename Distribution>
const Distribution& distribution_of(const ThresholdFit<Distribution>& fit) {
    return fit.excess;
}

} // namespace

Estimate<RunTime> quantile_per_run(const TailFit& fit, double p) {
    return std::visit([&](const auto& one) { return quantile_per_run(one, p); }, fit);
}

double exceedance_per_run(const TailFit& fit, double x) {
    return std::visit([&](const auto& one) { return exceedance_per_run(one, x); }, fit);
}

double shape_of(const TailFit& fit) {
    return std::visit([](const auto& one) { return shape_in(distribution_of(one)); }, fit);
}

double scale_of(const TailFit& fit) {
    return std::visit([](const auto& one) { return distribution_of(one).scale; }, fit);
}

double envelope_exceedance(std::span<const TailFit> inputs, double x) {
    double largest = 0;
    for (const TailFit& fit : inputs)
        largest = std::max(largest, exceedance_per_run(fit, x));
    return largest;
}

Estimate<RunTime> envelope_quantile(std::span<const TailFit> inputs, double p) {
    double largest = quantile_per_run(inputs.front(), p).value();
    for (const TailFit& fit : inputs)
        largest = std::max(largest, quantile_per_run(fit, p).value());
    return Estimate<RunTime>{largest};
}

} // namespace warpbound::models

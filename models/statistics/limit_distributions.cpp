#include "models/statistics/limit_distributions.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace warpbound::models {

double kolmogorov_exceedance(double lambda) {
    constexpr double pi = std::numbers::pi;
    if (lambda < 0.1) return 1; // Exact to more digits than a double has.
    double sum = 0;
    if (lambda < 1) { // Series for the complement, which converges quickly here.
        for (int j = 1; j <= 9; j += 2)
            sum += std::exp(-j * j * pi * pi / (8 * lambda * lambda));
        return 1 - std::sqrt(2 * pi) / lambda * sum;
    }
    for (int j = 1; j <= 9; ++j)
        sum += (j % 2 == 1 ? 2 : -2) * std::exp(-2 * j * j * lambda * lambda);
    return sum;
}

double cramer_von_mises_exceedance(double w) {
    if (w < 0.01) return 1;
    // Beyond, the complement of the series has no digits left; the probability is below 1e-10.
    if (w > 4.5) return 0;
    double sum = 0;
    double coefficient = 1; // Gamma(j + 1/2) / (Gamma(1/2) j!)
    for (int j = 0; j < 40; ++j) {
        const double odd = 4.0 * j + 1;
        const double argument = odd * odd / (16 * w);
        if (argument > 300) break;
        sum += coefficient * std::sqrt(odd) * std::exp(-argument) *
               boost::math::cyl_bessel_k(0.25, argument);
        coefficient *= (j + 0.5) / (j + 1);
    }
    return std::clamp(1 - sum / (std::numbers::pi * std::sqrt(w)), 0.0, 1.0);
}

double largest_share_exceedance(double share, int count) {
    if (share <= 1.0 / count) return 1;
    // The terms alternate around exp(-expected); where many are expected, the sum is 1.
    const double expected = count * std::exp((count - 1) * std::log1p(-share));
    if (expected > 20) return 1;
    double sum = 0;
    for (int j = 1; j <= count && j * share < 1; ++j) {
        const double logarithm = boost::math::lgamma(count + 1.0) - boost::math::lgamma(j + 1.0) -
                                 boost::math::lgamma(count - j + 1.0) +
                                 (count - 1) * std::log1p(-j * share);
        sum += (j % 2 == 1 ? 1 : -1) * std::exp(logarithm);
    }
    return std::clamp(sum, 0.0, 1.0);
}

} // namespace warpbound::models

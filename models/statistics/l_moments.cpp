#include "models/statistics/l_moments.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace warpbound::models {

namespace {

/// Hosking's kappa = -xi, from the L-skewness: Hosking, Wallis and Wood 1985, eq. 14.
double approximate_kappa(double skewness) {
    const double c = 2 / (3 + skewness) - std::numbers::ln2 / std::log(3.0);
    return 7.8590 * c + 2.9554 * c * c;
}

/// 1 - base^-kappa, over kappa; continuous at 0.
double complement_power(double base, double kappa) {
    return box_cox(-std::log(base), kappa) * -1;
}

/// L-skewness of the GEV of this kappa (Hosking 1990, table 1).
double skewness_of(double kappa) {
    return 2 * complement_power(3, kappa) / complement_power(2, kappa) - 3;
}

double polished_kappa(double kappa, double skewness) {
    for (int step = 0; step < 50; ++step) {
        const double width = 1e-5;
        const double slope =
            (skewness_of(kappa + width) - skewness_of(kappa - width)) / (2 * width);
        const double change = (skewness_of(kappa) - skewness) / slope;
        kappa -= change;
        if (!std::isfinite(kappa) || std::abs(change) < 1e-14) break;
    }
    return kappa;
}

std::optional<GeneralizedExtremeValue> with_kappa(const LMoments& moments, double kappa) {
    // L-moments exist for xi < 1 only.
    if (!std::isfinite(kappa) || kappa <= -1 || !(moments.l2 > 0)) return std::nullopt;
    if (std::abs(kappa) < 1e-9) {
        const auto gumbel = gumbel_by_l_moments(moments);
        return GeneralizedExtremeValue{gumbel->location, gumbel->scale, -kappa};
    }
    const double gamma = std::tgamma(1 + kappa);
    const double scale = moments.l2 / (complement_power(2, kappa) * gamma);
    return GeneralizedExtremeValue{moments.l1 - scale * (1 - gamma) / kappa, scale, -kappa};
}

} // namespace

LMoments l_moments(std::span<const double> sorted) {
    const auto n = static_cast<double>(sorted.size());
    // A large offset would cost digits of the differences.
    const double offset = sorted.front();
    double b0 = 0;
    double b1 = 0;
    double b2 = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto rank = static_cast<double>(i);
        const double value = sorted[i] - offset;
        b0 += value;
        b1 += value * rank / (n - 1);
        b2 += value * rank * (rank - 1) / ((n - 1) * (n - 2));
    }
    b0 /= n;
    b1 /= n;
    b2 /= n;
    LMoments moments{offset + b0, 2 * b1 - b0, 6 * b2 - 6 * b1 + b0, 0};
    if (moments.l2 > 0) moments.skewness = moments.l3 / moments.l2;
    return moments;
}

std::optional<Gumbel> gumbel_by_l_moments(const LMoments& moments) {
    if (!(moments.l2 > 0)) return std::nullopt;
    const double scale = moments.l2 / std::numbers::ln2;
    return Gumbel{moments.l1 - std::numbers::egamma * scale, scale};
}

std::optional<Exponential> exponential_by_l_moments(const LMoments& moments) {
    if (!(moments.l1 > 0)) return std::nullopt;
    return Exponential{moments.l1};
}

std::optional<GeneralizedPareto> pareto_by_l_moments(const LMoments& moments) {
    if (!(moments.l2 > 0) || !(moments.l1 > 0)) return std::nullopt;
    const double kappa = moments.l1 / moments.l2 - 2;
    if (kappa <= -1) return std::nullopt;
    return GeneralizedPareto{(1 + kappa) * moments.l1, -kappa};
}

std::optional<GeneralizedExtremeValue> extreme_value_by_hosking(const LMoments& moments) {
    return with_kappa(moments, approximate_kappa(moments.skewness));
}

std::optional<GeneralizedExtremeValue> extreme_value_by_l_moments(const LMoments& moments) {
    return with_kappa(moments,
                      polished_kappa(approximate_kappa(moments.skewness), moments.skewness));
}

} // namespace warpbound::models

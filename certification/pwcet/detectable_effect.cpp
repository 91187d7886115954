#include "certification/pwcet/detectable_effect.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/roots.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace warpbound::certification {

namespace {

double normal_quantile(double probability) {
    return boost::math::quantile(boost::math::normal{}, probability);
}

/// The critical value of the largest absolute value of a Brownian bridge, by the first term of
/// Kolmogorov's series.
double critical_bridge(double level) {
    return std::sqrt(-std::log(level / 2) / 2);
}

} // namespace

std::optional<double> correlation_seen_by_ljung_box(std::size_t runs, std::size_t lags,
                                                    double level) {
    const auto degrees = static_cast<double>(lags);
    const double critical =
        boost::math::quantile(boost::math::complement(boost::math::chi_squared{degrees}, level));
    const double needed = boost::math::non_central_chi_squared::find_non_centrality(
                              degrees, critical, 1 - stated_power) /
                          static_cast<double>(runs);
    // The sum of r^2h over the lags grows with r from 0 to their number.
    if (needed >= degrees) return std::nullopt;
    const auto missing = [&](double r) {
        double sum = 0;
        for (std::size_t lag = 1; lag <= lags; ++lag)
            sum += std::pow(r, 2 * static_cast<double>(lag));
        return sum - needed;
    };
    std::uintmax_t steps = 100;
    const auto found = boost::math::tools::bisect(
        missing, 0.0, 1.0, boost::math::tools::eps_tolerance<double>{40}, steps);
    return found.second;
}

std::optional<double> correlation_seen_by_runs(std::size_t runs, double level) {
    const double distance = normal_quantile(1 - level / 2) + normal_quantile(stated_power);
    const double angle = std::numbers::pi / 2 * distance / std::sqrt(static_cast<double>(runs));
    if (angle >= std::numbers::pi / 2) return std::nullopt;
    return std::sin(angle);
}

std::optional<double> shift_seen_by_halves(std::size_t runs, double level) {
    const auto half = static_cast<double>(runs / 2);
    const double other = static_cast<double>(runs) - half;
    const double width = std::sqrt(1 / half + 1 / other);
    // The difference of two shares has at most the standard deviation width / 2.
    const double distance = (critical_bridge(level) + normal_quantile(stated_power) / 2) * width;
    if (distance >= 1) return std::nullopt;
    // Normal distributions that are d apart differ by 2 Phi(d / 2) - 1.
    return 2 * normal_quantile((1 + distance) / 2);
}

std::optional<double> shift_seen_by_change_point(std::size_t runs, double level) {
    // At the middle the statistic has the standard deviation 1/2, and the mean
    // sqrt(3 n) / 2 (P(later > earlier) - 1/2).
    const double mean = critical_bridge(level) + normal_quantile(stated_power) / 2;
    const double probability = 0.5 + 2 * mean / std::sqrt(3 * static_cast<double>(runs));
    if (probability >= 1) return std::nullopt;
    return std::numbers::sqrt2 * normal_quantile(probability);
}

std::vector<DetectableEffect> detectable_effects(const std::vector<std::string>& tests,
                                                 std::size_t runs, std::size_t lags, double level) {
    std::vector<DetectableEffect> effects;
    const auto add = [&](const std::string& test, const char* effect, std::optional<double> value,
                         const char* unit, const char* source) {
        if (value) effects.push_back({test, effect, *value, unit, source});
    };
    constexpr auto correlation = "lag-1 autocorrelation";
    constexpr auto shift = "shift between the halves";
    constexpr auto deviations = "standard deviations";
    for (const auto& test : tests) {
        if (test == "ljung-box")
            add(test, correlation, correlation_seen_by_ljung_box(runs, lags, level), "",
                "Bartlett 1946; Patnaik 1949");
        else if (test == "runs")
            add(test, correlation, correlation_seen_by_runs(runs, level), "",
                "Sheppard 1899; Wald and Wolfowitz 1940");
        else if (test == "halves")
            add(test, shift, shift_seen_by_halves(runs, level), deviations, "Massey 1950");
        else if (test == "change point")
            add(test, shift, shift_seen_by_change_point(runs, level), deviations,
                "Pettitt 1979; Mann and Whitney 1947");
    }
    return effects;
}

} // namespace warpbound::certification

#pragma once
/// \file
/// Effects that a test of the order finds with at least 80 % probability: what its passing says.
///
/// All are asymptotic in the number of runs, for normally distributed times. None where so few runs
/// show no such effect, however large.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

inline constexpr double stated_power = 0.8;

/// Lag-1 autocorrelation of a first-order autoregression, by `ljung_box_test` with so many lags:
/// the statistic has the non-central chi-squared distribution with n times the sum of the squared
/// autocorrelations. `Source:` Bartlett 1946 for the variance 1/n of each; Patnaik 1949.
std::optional<double> correlation_seen_by_ljung_box(std::size_t runs, std::size_t lags,
                                                    double level);
/// Likewise, by `runs_test`: neighbours lie on different sides of the median with probability
/// arccos(r) / pi. `Source:` Sheppard 1899; Wald and Wolfowitz 1940.
std::optional<double> correlation_seen_by_runs(std::size_t runs, double level);
/// Shift of the mean between the halves in standard deviations, by `halves_test`. Errs large: the
/// distance at one time alone counts. `Source:` Massey 1950.
std::optional<double> shift_seen_by_halves(std::size_t runs, double level);
/// Likewise, by `change_point_test`: the sum of the ranks at the middle alone counts. `Source:`
/// Pettitt 1979; Mann and Whitney 1947.
std::optional<double> shift_seen_by_change_point(std::size_t runs, double level);

/// An effect that a test finds with `stated_power`.
struct DetectableEffect {
    std::string test;
    std::string effect; ///< "lag-1 autocorrelation"
    double value = 0;
    std::string unit; ///< Empty, or "standard deviations".
    std::string source;
};

/// Of the tests with the names of `order_tests` and `stationarity_tests` that have a formula above.
std::vector<DetectableEffect> detectable_effects(const std::vector<std::string>& tests,
                                                 std::size_t runs, std::size_t lags, double level);

} // namespace warpbound::certification

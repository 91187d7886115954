#pragma once
/// \file
/// Tests of a sample in run order: do later runs depend on earlier ones, or differ from them?
///
/// Each test reports its result, or why it cannot decide: a constant sample has no order. All take
/// one value per run. `Source:` the textbook forms (Wald and Wolfowitz 1940, Ljung and Box 1978,
/// Smirnov 1939).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpbound::harness {

struct Decision {
    double statistic = 0;
    double p_value =
        1; ///< Probability of this statistic, or a more extreme one, in independent runs.
    double corrected =
        1; ///< Corrected for all tests of a report (`correct`); until then equal to `p_value`.

    friend bool operator==(const Decision&, const Decision&) = default;
};

struct OrderTest {
    std::string name;
    std::optional<Decision> decision;
    std::string note; ///< Why nothing is decided, or how the p-value was obtained.

    friend bool operator==(const OrderTest&, const OrderTest&) = default;
};

/// "runs": runs above and not above the median, normal form, two-sided: trends have few,
/// alternations many. Values equal to the median count as below it or, where none is above it, as
/// above. Needs 10 values on each side.
OrderTest runs_test(std::span<const double> values);

/// "ljung-box": correlation with the `lags` preceding runs. Needs 20 runs, and four per lag.
OrderTest ljung_box_test(std::span<const double> values, std::size_t lags = 10);

/// "halves": Kolmogorov-Smirnov, two-sided, the first half against the second, asymptotic. With
/// ties that p-value errs large; then, up to 2000 runs, the smaller of it and the p-value of 999
/// permutations is used. Needs 20 runs.
OrderTest halves_test(std::span<const double> values, std::uint64_t seed = 1);

/// "together": whether the runs with a property are clustered more than in a random order.
/// Statistic: the number of maximal sequences of equal neighbours, one-sided; exact up to 1000 runs
/// with (or without) the property, normal approximation beyond. Needs two runs with the property
/// and two without.
OrderTest clustering_test(const std::vector<bool>& members);

/// Lag-1 autocorrelation. Empty for a constant sample and for fewer than three runs.
std::optional<double> lag_one_correlation(std::span<const double> values);

/// Corrects p-values of one report for their number (Holm 1979); in the order given.
std::vector<double> holm(std::span<const double> p_values);

} // namespace warpbound::harness

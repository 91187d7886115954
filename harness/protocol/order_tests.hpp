#pragma once
/// \file
/// Tests of a sample in run order: do later runs depend on earlier ones, or differ from them?
///
/// Each says what it found, or why it cannot decide: a constant sample has no order. All take one
/// value for each run. `Source:` the forms are those of the textbooks (Wald and Wolfowitz 1940,
/// Ljung and Box 1978, Smirnov 1939).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpbound::harness {

struct Decision {
    double statistic = 0;
    double p_value =
        1; ///< RandomSource of such a statistic, or one further out, in independent runs.
    double corrected = 1; ///< For all tests of a report (`correct`); until then `p_value`.

    friend bool operator==(const Decision&, const Decision&) = default;
};

struct OrderTest {
    std::string name;
    std::optional<Decision> decision;
    std::string note; ///< Why nothing is decided, or what the p-value rests on.

    friend bool operator==(const OrderTest&, const OrderTest&) = default;
};

/// "runs": runs above and not above the median, normal form, two-sided: trends have few,
/// alternations many. Values equal to the median count as below it or, where none is above it, as
/// above. Needs 10 runs on each side.
OrderTest runs_test(std::span<const double> values);

/// "ljung-box": correlation with the `lags` runs before. Needs 20 runs, and four for each lag.
OrderTest ljung_box_test(std::span<const double> values, std::size_t lags = 10);

/// "halves": Kolmogorov-Smirnov, two-sided, the first half against the second, asymptotic. With
/// ties, where that p-value errs large, the smaller of it and, up to 2000 runs, that of 999
/// permutations. Needs 20 runs.
OrderTest halves_test(std::span<const double> values, std::uint64_t seed = 1);

/// "together": whether the runs with a property stand together more than in a random order:
/// number of runs of equal neighbours, one-sided; exact up to 1000 runs with (or without) the
/// property, normal beyond. Needs two runs with it and two without.
OrderTest together_test(const std::vector<bool>& members);

/// Correlation of neighbours. Nothing for a constant sample and for fewer than three runs.
std::optional<double> lag_one_correlation(std::span<const double> values);

/// Corrects p-values of one report for their number (Holm 1979); in the order given.
std::vector<double> holm(std::span<const double> p_values);

} // namespace warpbound::harness

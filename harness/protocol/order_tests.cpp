#include "harness/protocol/order_tests.hpp"

#include "models/statistics/limit_distributions.hpp"
#include "models/statistics/resampling.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpbound::harness {

namespace {

constexpr std::size_t fewest_per_side = 10;
constexpr std::size_t fewest_runs = 20;
constexpr std::size_t exact_members = 1000;
constexpr std::int64_t permutations = 999;
/// Above this number of runs, "halves" uses the asymptotic p-value only.
constexpr std::size_t most_permuted = 2000;

OrderTest not_decided(std::string name, std::string why) {
    return {std::move(name), std::nullopt, std::move(why)};
}

OrderTest decided(std::string name, double statistic, double p_value, std::string note = {}) {
    const double p = std::clamp(p_value, 0.0, 1.0);
    return {std::move(name), Decision{statistic, p, p}, std::move(note)};
}

bool is_constant(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return value == values.front(); });
}

/// Why no order test applies to the sample; empty: the tests apply.
std::string why_not(std::span<const double> values, std::size_t fewest) {
    if (values.size() < fewest) return fmt::format("{} runs; needs {}", values.size(), fewest);
    if (!std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); }))
        return "a value is not finite";
    if (is_constant(values)) return "constant";
    return {};
}

/// Two-sided p-value of `z` under the standard normal distribution.
double two_sided(double z) {
    return 2 * boost::math::cdf(boost::math::complement(boost::math::normal{}, std::abs(z)));
}

/// How often neighbours differ, plus one.
std::size_t count_runs(const std::vector<bool>& members) {
    std::size_t runs = members.empty() ? 0 : 1;
    for (std::size_t i = 1; i < members.size(); ++i)
        if (members[i] != members[i - 1]) ++runs;
    return runs;
}

/// Distance of a number of runs from its mean in standard deviations.
double runs_score(std::size_t runs, std::size_t with, std::size_t without) {
    const auto n1 = static_cast<double>(with);
    const auto n2 = static_cast<double>(without);
    const double n = n1 + n2;
    const double mean = 2 * n1 * n2 / n + 1;
    const double variance = 2 * n1 * n2 * (2 * n1 * n2 - n) / (n * n * (n - 1));
    return (static_cast<double>(runs) - mean) / std::sqrt(variance);
}

/// Logarithm of the binomial coefficient; minus infinity where it is 0.
double log_choose(std::size_t from, std::size_t chosen) {
    if (chosen > from) return -std::numeric_limits<double>::infinity();
    const auto n = static_cast<double>(from);
    const auto k = static_cast<double>(chosen);
    using boost::math::lgamma; // That of <cmath> keeps a sign in a global variable.
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/// Probability of at most `runs` runs among `with` and `without` in random order.
double at_most_runs(std::size_t runs, std::size_t with, std::size_t without) {
    const double all = log_choose(with + without, with);
    double random = 0;
    for (std::size_t count = 2; count <= runs; ++count) {
        const std::size_t half = count / 2;
        const auto probability = [&](std::size_t a, std::size_t b) {
            return std::exp(log_choose(with - 1, a - 1) + log_choose(without - 1, b - 1) - all);
        };
        random += count % 2 == 0 ? 2 * probability(half, half)
                                 : probability(half, half + 1) + probability(half + 1, half);
    }
    return random;
}

/// The largest distance between two empirical distributions, computed from the rank of each value
/// among the distinct values; the first `first` values are one sample, the rest the other.
double distance_of_parts(std::span<const std::size_t> ranks, std::size_t first,
                         std::size_t distinct) {
    std::vector<std::int64_t> difference(distinct, 0);
    const auto n1 = static_cast<std::int64_t>(first);
    const auto n2 = static_cast<std::int64_t>(ranks.size() - first);
    for (std::size_t i = 0; i < ranks.size(); ++i)
        difference[ranks[i]] += i < first ? n2 : -n1;
    std::int64_t sum = 0;
    std::int64_t largest = 0;
    for (const std::int64_t step : difference) {
        sum += step;
        largest = std::max(largest, std::abs(sum));
    }
    return static_cast<double>(largest) / (static_cast<double>(n1) * static_cast<double>(n2));
}

/// Rank of each value among the distinct ones.
std::vector<std::size_t> ranks_of(std::span<const double> values, std::size_t& distinct) {
    std::vector<double> sorted{values.begin(), values.end()};
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    distinct = sorted.size();
    std::vector<std::size_t> ranks;
    ranks.reserve(values.size());
    for (const double value : values)
        ranks.push_back(static_cast<std::size_t>(
            std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin()));
    return ranks;
}

/// Share of random permutations in which the halves are at least `observed` apart; the observed
/// order counts as one.
double permuted_p_value(std::vector<std::size_t> ranks, std::size_t first, std::size_t distinct,
                        double observed, std::uint64_t seed) {
    std::int64_t as_far = 1;
    for (std::int64_t replicate = 0; replicate < permutations; ++replicate) {
        models::Resampling random{seed, "halves", static_cast<std::uint64_t>(replicate)};
        for (std::size_t i = 0; i < first; ++i)
            std::swap(ranks[i], ranks[i + random.below(ranks.size() - i)]);
        if (distance_of_parts(ranks, first, distinct) >= observed) ++as_far;
    }
    return static_cast<double>(as_far) / static_cast<double>(permutations + 1);
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Correlation with the value `lag` positions earlier. Requires: not constant, more than `lag`
/// values.
double correlation(std::span<const double> values, double mean, std::size_t lag) {
    double products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double difference = values[i] - mean;
        squares += difference * difference;
        if (i >= lag) products += difference * (values[i - lag] - mean);
    }
    return products / squares;
}

} // namespace

OrderTest runs_test(std::span<const double> values) {
    if (auto why = why_not(values, 2 * fewest_per_side); !why.empty())
        return not_decided("runs", std::move(why));
    std::vector<double> sorted{values.begin(), values.end()};
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    const double median = sorted.size() % 2 == 1
                              ? sorted[middle]
                              : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
    const bool equal_is_above = sorted.back() <= median;
    std::vector<bool> above;
    above.reserve(values.size());
    for (const double value : values)
        above.push_back(equal_is_above ? value >= median : value > median);
    const auto with = static_cast<std::size_t>(std::count(above.begin(), above.end(), true));
    const std::size_t without = above.size() - with;
    if (std::min(with, without) < fewest_per_side)
        return not_decided("runs", fmt::format("{} values on one side of the median; needs {}",
                                               std::min(with, without), fewest_per_side));
    const double score = runs_score(count_runs(above), with, without);
    return decided("runs", score, two_sided(score),
                   fmt::format("values equal to the median count as {}",
                               equal_is_above ? "above, as none is" : "below"));
}

OrderTest ljung_box_test(std::span<const double> values, std::size_t lags) {
    if (auto why = why_not(values, std::max(fewest_runs, 4 * lags)); !why.empty())
        return not_decided("ljung-box", std::move(why));
    const double mean = mean_of(values);
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    for (std::size_t lag = 1; lag <= lags; ++lag) {
        const double r = correlation(values, mean, lag);
        sum += r * r / (n - static_cast<double>(lag));
    }
    const double statistic = n * (n + 2) * sum;
    const boost::math::chi_squared reference{static_cast<double>(lags)};
    return decided("ljung-box", statistic,
                   boost::math::cdf(boost::math::complement(reference, statistic)),
                   fmt::format("{} lags", lags));
}

OrderTest halves_test(std::span<const double> values, std::uint64_t seed) {
    if (auto why = why_not(values, fewest_runs); !why.empty())
        return not_decided("halves", std::move(why));
    std::size_t distinct = 0;
    const auto ranks = ranks_of(values, distinct);
    const std::size_t first = values.size() / 2;
    const double distance = distance_of_parts(ranks, first, distinct);
    const auto n1 = static_cast<double>(first);
    const auto n2 = static_cast<double>(values.size() - first);
    const double asymptotic =
        models::kolmogorov_exceedance(distance * std::sqrt(n1 * n2 / (n1 + n2)));
    if (distinct == values.size()) return decided("halves", distance, asymptotic);
    if (values.size() > most_permuted)
        return decided("halves", distance, asymptotic, "ties: the p-value errs large");
    const double permuted = permuted_p_value(ranks, first, distinct, distance, seed);
    return decided("halves", distance, std::min(asymptotic, permuted),
                   fmt::format("ties: {} permutations", permutations));
}

OrderTest clustering_test(const std::vector<bool>& members) {
    const auto with = static_cast<std::size_t>(std::count(members.begin(), members.end(), true));
    const std::size_t without = members.size() - with;
    if (std::min(with, without) < 2)
        return not_decided("together",
                           fmt::format("{} runs on one side; needs 2", std::min(with, without)));
    const std::size_t runs = count_runs(members);
    const auto statistic = static_cast<double>(runs);
    if (std::min(with, without) <= exact_members)
        return decided("together", statistic, at_most_runs(runs, with, without), "exact");
    return decided("together", statistic,
                   boost::math::cdf(boost::math::normal{}, runs_score(runs, with, without)));
}

std::optional<double> lag_one_correlation(std::span<const double> values) {
    if (!why_not(values, 3).empty()) return std::nullopt;
    return correlation(values, mean_of(values), 1);
}

std::vector<double> holm(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
    std::vector<double> corrected(p_values.size());
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto left = static_cast<double>(order.size() - i);
        largest = std::max(largest, std::min(1.0, left * p_values[order[i]]));
        corrected[order[i]] = largest;
    }
    return corrected;
}

} // namespace warpbound::harness

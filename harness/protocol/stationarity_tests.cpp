#include "harness/protocol/stationarity_tests.hpp"

#include "models/statistics/limit_distributions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace warpbound::harness {

namespace {

constexpr std::size_t fewest_stationary_runs = 20;

OrderTest undecided(std::string name, std::string why) {
    return {std::move(name), std::nullopt, std::move(why)};
}

/// Why neither test applies; empty: both do.
std::string reason_against(std::span<const double> values) {
    if (values.size() < fewest_stationary_runs)
        return fmt::format("{} runs; needs {}", values.size(), fewest_stationary_runs);
    if (!std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); }))
        return "a value is not finite";
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *least == *most ? "constant" : "";
}

std::vector<double> differences_from_mean(std::span<const double> values) {
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    std::vector<double> differences{values.begin(), values.end()};
    for (double& difference : differences)
        difference -= mean;
    return differences;
}

/// Ranks from 1; equal values share the middle of theirs.
std::vector<double> middle_ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() && values[order[end]] == values[order[first]])
            ++end;
        for (std::size_t i = first; i < end; ++i)
            ranks[order[i]] = static_cast<double>(first + end + 1) / 2;
        first = end;
    }
    return ranks;
}

} // namespace

OrderTest kpss_test(std::span<const double> values, std::size_t lags) {
    if (auto why = reason_against(values); !why.empty()) return undecided("kpss", std::move(why));
    const auto differences = differences_from_mean(values);
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    double squares_of_sums = 0;
    for (const double difference : differences) {
        sum += difference;
        squares_of_sums += sum * sum;
    }
    double variance = 0;
    for (std::size_t lag = 0; lag <= lags && lag < differences.size(); ++lag) {
        double products = 0;
        for (std::size_t i = lag; i < differences.size(); ++i)
            products += differences[i] * differences[i - lag];
        const double weight = 1 - static_cast<double>(lag) / (static_cast<double>(lags) + 1);
        variance += (lag == 0 ? 1 : 2 * weight) * products / n;
    }
    if (!(variance > 0)) return undecided("kpss", "the variance with these lags is not positive");
    const double statistic = squares_of_sums / (n * n * variance);
    const double p = models::cramer_von_mises_exceedance(statistic);
    return {"kpss", Decision{statistic, p, p}, fmt::format("{} lags", lags)};
}

OrderTest change_point_test(std::span<const double> values) {
    if (auto why = reason_against(values); !why.empty())
        return undecided("change point", std::move(why));
    const auto differences = differences_from_mean(middle_ranks(values));
    double squares = 0;
    double sum = 0;
    double largest = 0;
    std::size_t last_before = 0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
        squares += differences[i] * differences[i];
        sum += differences[i];
        if (std::abs(sum) <= largest) continue;
        largest = std::abs(sum);
        last_before = i;
    }
    const double statistic = largest / std::sqrt(squares);
    const double p = models::kolmogorov_exceedance(statistic);
    return {"change point", Decision{statistic, p, p},
            fmt::format("after run {} of {}", last_before, values.size())};
}

} // namespace warpbound::harness

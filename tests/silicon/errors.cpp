#include "tests/silicon/errors.hpp"

#include "tests/support/median.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::silicon {

namespace {

/// The rank of each value; equal ones share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<double> ranks;
    for (const double value : values) {
        const auto smaller = std::count_if(values.begin(), values.end(),
                                           [&](double other) { return other < value; });
        const auto equal = std::count(values.begin(), values.end(), value);
        ranks.push_back(static_cast<double>(smaller) + static_cast<double>(equal - 1) / 2);
    }
    return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto mean = [](const std::vector<double>& values) {
        double sum = 0;
        for (const double value : values)
            sum += value;
        return sum / static_cast<double>(values.size());
    };
    const double mean_a = mean(a);
    const double mean_b = mean(b);
    double both = 0;
    double square_a = 0;
    double square_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - mean_a) * (b[i] - mean_b);
        square_a += (a[i] - mean_a) * (a[i] - mean_a);
        square_b += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return square_a > 0 && square_b > 0 ? both / std::sqrt(square_a * square_b) : 0;
}

} // namespace

Errors errors_of(const TimePairs& pairs) {
    Errors errors{.points = pairs.size()};
    std::vector<double> sizes;
    std::vector<double> measured;
    std::vector<double> estimated;
    double concordant = 0;
    double compared = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double error = pairs[i].second / pairs[i].first - 1;
        sizes.push_back(std::abs(error));
        measured.push_back(pairs[i].first);
        estimated.push_back(pairs[i].second);
        errors.mean += std::abs(error) / static_cast<double>(pairs.size());
        errors.bias += error / static_cast<double>(pairs.size());
        for (std::size_t j = 0; j < i; ++j) {
            const double agree =
                (pairs[i].first - pairs[j].first) * (pairs[i].second - pairs[j].second);
            concordant += agree > 0 ? 1 : agree < 0 ? -1 : 0;
            ++compared;
        }
    }
    if (sizes.empty()) return errors;
    errors.median = tests::interpolated_median_of(std::move(sizes));
    if (compared > 0) errors.tau = concordant / compared;
    errors.rho = correlation(ranks_of(measured), ranks_of(estimated));
    return errors;
}

std::string summary_row(const std::string& machine, const std::string& set, std::size_t launches,
                        std::size_t inside, const TimePairs& simulated) {
    return fmt::format("{},{},{},{},{},{:.1f}\n", machine, set, launches, inside, simulated.size(),
                       100 * errors_of(simulated).mean);
}

std::string error_row(const std::string& name, const TimePairs& pairs) {
    const Errors errors = errors_of(pairs);
    return fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {:+.1f} % | {:.2f} |\n", name,
                       errors.points, 100 * errors.mean, 100 * errors.median, 100 * errors.bias,
                       errors.tau);
}

} // namespace warpbound::silicon

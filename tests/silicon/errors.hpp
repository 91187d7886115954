#pragma once
/// \file
/// Errors of estimates against measured times, and how well they rank what was measured.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::silicon {

/// Pairs of measured and estimated time.
using TimePairs = std::vector<std::pair<double, double>>;

struct Errors {
    std::size_t points = 0;
    double mean = 0;   ///< Of absolute relative errors.
    double median = 0; ///< Of the same.
    double bias = 0;
    double tau = 0; ///< Kendall's, of the ranking.
    double rho = 0; ///< Spearman's.
};

/// A row of models/architecture/whole_kernels.csv.
std::string summary_row(const std::string& machine, const std::string& set, std::size_t launches,
                        std::size_t inside, const TimePairs& simulated);

Errors errors_of(const TimePairs& pairs);

/// "| name | points | MAPE | median | bias | tau |".
std::string error_row(const std::string& name, const TimePairs& pairs);

} // namespace warpbound::silicon

#pragma once
/// \file
/// Explanation of a formula: the numbers it used, with their sources.

#include <string>

namespace warpbound::models {

/// One symbol of a formula with the value it had. A report prints these as they are.
struct ExplainedSymbol {
    std::string symbol; ///< "CPI_dep"
    double value = 0;
    std::string unit;   ///< "cycles/instruction"
    std::string source; ///< "V14 Table 7"

    friend bool operator==(const ExplainedSymbol&, const ExplainedSymbol&) = default;
};

} // namespace warpbound::models

#pragma once
/// \file
/// The tables of docs/silicon.md.

#include "tests/silicon/comparison.hpp"

#include <map>
#include <string>
#include <vector>

namespace warpbound::silicon {

struct Findings {
    std::size_t rows = 0;
    std::size_t mapped = 0; ///< Rows that speak of a value of at least one machine.
    std::vector<Comparison> comparisons;
    std::map<std::string, std::size_t> unmapped; ///< Rows by the reason.
};
/// Requires: rows and mapping outlive the findings.
Findings hold(const Mapping& mapping, const std::vector<Row>& rows);

/// Markdown: what was held, one line per machine, disagreements with their reasons, typical values
/// far off, values that rows know and descriptions do not, rows that speak of no value.
std::string page_of(const Mapping& mapping, const Findings& findings);

/// Values that rows of their own card hold and whose description does not say that they were
/// measured on it, one a line.
std::string text_of_unmarked(const Findings& findings);

/// Measured numbers outside their interval without a reason, one a line.
std::string text_of_outside(const Findings& findings);

} // namespace warpbound::silicon

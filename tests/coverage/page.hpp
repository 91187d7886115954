#pragma once
/// \file
/// The tables of docs/coverage.md.

#include "tests/coverage/score.hpp"

#include <string>
#include <vector>

namespace warpbound::coverage {

struct Row {
    KernelCase kernel;
    Score score;
};

/// Markdown: totals beside the targets, refusals by cause, one line per kernel and target.
std::string page_of(const std::vector<Row>& rows);

/// One record per kernel and target.
std::string csv_of(const std::vector<Row>& rows);

} // namespace warpbound::coverage

#pragma once
/// \file
/// What the bounds rest on.

#include "analyzer/analysis.hpp"
#include "analyzer/problem.hpp"

#include <vector>

namespace warpbound::analyzer {

/// In a fixed order, ids A1, A2, ..
std::vector<Assumption> assumptions_of(const Problem& problem);

} // namespace warpbound::analyzer

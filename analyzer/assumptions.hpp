#pragma once
/// \file
/// The assumptions of the bounds.

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"

#include <vector>

namespace warpbound::analyzer {

/// In a fixed order, with ids A1, A2, .. `assumes_round_robin_order`: a bound uses the rotation of
/// loose round robin.
std::vector<Assumption> assumptions_of(const AnalysisContext& context,
                                       bool assumes_round_robin_order);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// The assumptions of the bounds.

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"
#include "models/launch/launch.hpp"

#include <vector>

namespace warpbound::analyzer {

/// In a fixed order, with ids A1, A2, .. `arguments`: as the launch states them.
/// `assumes_round_robin_order`: a bound uses the rotation of loose round robin.
std::vector<Assumption> assumptions_of(const AnalysisContext& context,
                                       const models::ArgumentWords& arguments,
                                       bool assumes_round_robin_order);

} // namespace warpbound::analyzer

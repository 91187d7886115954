#pragma once
/// \file
/// What the bounds rest on.

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"

#include <vector>

namespace warpbound::analyzer {

/// In a fixed order, ids A1, A2, .. `in_turns`: a bound rests on the turns of loose round robin.
std::vector<Assumption> assumptions_of(const AnalysisContext& context, bool in_turns);

} // namespace warpbound::analyzer

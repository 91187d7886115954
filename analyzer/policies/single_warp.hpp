#pragma once
/// \file
/// Bounds of one warp that no other delays.

#include "analyzer/launch/path_bound.hpp"

#include <string>

namespace warpbound::analyzer {

/// The time of one warp from its start to its completion, with the path that takes it. Refuses
/// facts that no path satisfies. `kind`: what the name of its path lemma ends in, where a bound
/// rests on several such times.
Result<SideAnswer> bound_single_warp(const AnalysisContext& context, const PipelinePair& rules,
                                     Side side, Deadline deadline, Facts facts = Facts::All,
                                     const std::string& kind = "");

} // namespace warpbound::analyzer

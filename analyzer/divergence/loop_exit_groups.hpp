#pragma once
/// \file
/// What branches at which lanes may part ask of each other (docs/soundness.md, S19d).

#include "analyzer/divergence/divergent_branch.hpp"
#include "analyzer/divergence/reconvergence_stack.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Fills in `DivergentBranch::Leaving::beside`. Refuses, naming the place: lanes that leave their
/// point while others that parted before are elsewhere, that leave a turn of a loop from inside
/// branches where none are stated to part, from several loops at once or to part again on their
/// way, and loops that lanes leave at several places with different ends.
Result<void> group_loop_exits(const AnalysisContext& context, const ReconvergenceStacks& points,
                              std::vector<DivergentBranch>& divergent_branches);

} // namespace warpbound::analyzer

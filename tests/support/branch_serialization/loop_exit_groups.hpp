#pragma once
/// \file
/// Conditions that divergent branches put on each other: exits of one loop, and branches around
/// exits by BREAK (docs/theory, S19d).

#include "tests/support/branch_serialization/divergent_branch.hpp"
#include "tests/support/branch_serialization/reconvergence_stack.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Fills in `DivergentBranch::LoopExit::siblings`. Refuses, with the address:
/// - lanes that leave their point by BREAK inside the region of a branch whose lanes do so, too;
/// - lanes that leave an iteration from inside a divergent branch, at a branch that is not stated
///   to be divergent, out of several loops at once, or to diverge again before they reconverge;
/// - loops with several divergent exits whose paths end differently.
Result<void> group_loop_exits(const AnalysisContext& context, const ReconvergenceStacks& stacks,
                              std::vector<DivergentBranch>& divergent_branches);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Finds the divergent branches of a kernel, where their lanes reconverge, and what they may
/// execute until then (rules C38 to C40).

#include "analyzer/launch/context.hpp"
#include "tests/support/branch_serialization/divergent_branch.hpp"

#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// Refuses, with the address, what `reconvergence_stacks` and `group_loop_exits` refuse, and:
/// - barriers and WARPSYNC that are guarded or in a non-uniform block;
/// - a divergence fact at an instruction that decides nothing;
/// - a multi-way branch of which a path ends, leaves points or reaches the branch again;
/// - a branch that both of its paths reach again before the reconvergence;
/// - lanes that leave points that are not their innermost, or pass a point without arriving;
/// - lanes that iterate a loop while others wait inside it;
/// - lanes that wait at several points around their innermost, or at one while others end.
Result<Reconvergence> find_reconvergence(const AnalysisContext& context);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Where the lanes that part at a branch meet again, and what they may execute until then (rules
/// C38 to C40).

#include "analyzer/divergence/divergent_branch.hpp"
#include "analyzer/launch/context.hpp"

#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// Refuses, naming the place: what `reconvergence_stacks` and `group_loop_exits` refuse, barriers
/// and WARPSYNC that are guarded or that lanes may come to apart, a divergence fact where nothing
/// is decided, several ways that end, leave points or come again, branches both of whose ways come
/// to them again before the lanes meet, lanes that leave points that are not their innermost, that
/// come behind a point without arriving, that turn a loop while others wait inside it, or that wait
/// at several points around their innermost, or at one while others end.
Result<Reconvergence> find_reconvergence(const AnalysisContext& context);

} // namespace warpbound::analyzer

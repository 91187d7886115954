#pragma once
/// \file
/// Between which barriers of its block a warp executes an instruction (docs/soundness.md, S17).

#include "analyzer/launch/path_bound.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// The run of a block, cut at the barriers at which its warps meet.
struct BarrierIntervals {
    /// Whether an instruction may execute in a part. `Shape:` inside[part][instruction].
    std::vector<std::vector<bool>> inside;
    /// Least time from the last arrival at a barrier to the next part. `Unit:` core cycles.
    std::int64_t apart = 0;
};

/// None where a barrier lies in a loop. `barriers`: what every path of the block passes
/// (`aligned_barriers`).
std::optional<BarrierIntervals> barrier_intervals(const AnalysisContext& context,
                                                  std::int64_t barriers);

/// Paths of a warp on which it pays only between two barriers, or up to the first, or behind the
/// last one: the costliest tells what it costs in any such part, also of a loop that holds
/// barriers. Nodes are a block, and whether the part is still to come, has begun or is over. Side:
/// upper.
PathGraph barrier_interval_paths(const AnalysisContext& context,
                                 const std::vector<std::int64_t>& instruction_costs);

} // namespace warpbound::analyzer

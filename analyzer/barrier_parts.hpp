#pragma once
/// \file
/// Between which barriers of its block a warp executes an instruction (docs/soundness.md, S17).

#include "analyzer/problem.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// The run of a block, cut at the barriers at which its warps meet.
struct BarrierParts {
    /// Whether an instruction may execute in a part. `Shape:` inside[part][instruction].
    std::vector<std::vector<bool>> inside;
    /// Least time from the last arrival at a barrier to the next part. `Unit:` core cycles.
    std::int64_t apart = 0;
};

/// None where a barrier lies in a loop. `barriers`: what every path of the block passes
/// (`common_barriers`).
std::optional<BarrierParts> parts_between_barriers(const Problem& problem, std::int64_t barriers);

} // namespace warpbound::analyzer

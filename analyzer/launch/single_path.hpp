#pragma once
/// \file
/// The instructions of a warp, if the flow facts allow a single path.

#include "analyzer/launch/timed_kernel.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct PathStep {
    std::size_t instruction = 0;
    bool transferred = false; ///< Left by a taken branch.
};

/// Which further paths may exist.
enum class FurtherPaths { None, EarlyExits };

/// None when `never` facts and loop bounds allow further paths other than `further` says (early
/// exits: prefixes of the path up to an EXIT), or when the path is longer than `longest`
/// instructions. Paths from which no EXIT follows over blocks that the facts allow are none.
std::optional<std::vector<PathStep>> single_path(const TimedKernel& kernel, std::size_t longest,
                                                 FurtherPaths further = FurtherPaths::None);

/// Whether the lanes of a warp take one path, or beginnings of it up to an EXIT, and are never
/// apart, whatever the facts say of branches (docs/theory, S86). Requires: the graph of the code
/// and the facts of a lane.
bool lanes_share_one_path(const TimedKernel& kernel);

} // namespace warpbound::analyzer

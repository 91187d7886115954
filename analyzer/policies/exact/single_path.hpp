#pragma once
/// \file
/// The instructions of a warp, if the flow facts allow a single path.

#include "analyzer/launch/path_bound.hpp"

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
/// instructions.
std::optional<std::vector<PathStep>> single_path(const TimedKernel& kernel, std::size_t longest,
                                                 FurtherPaths further = FurtherPaths::None);

} // namespace warpbound::analyzer

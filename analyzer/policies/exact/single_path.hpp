#pragma once
/// \file
/// The instructions of a warp where flow facts leave it one path.

#include "analyzer/launch/path_bound.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct PathStep {
    std::size_t instruction = 0;
    bool transferred = false; ///< By an edge that is taken.
};

/// Which other paths there may be.
enum class Others { None, ThatEndSooner };

/// Nothing when `never` facts and loop bounds leave more than one path, or more than its beginnings
/// up to an EXIT, or when it is longer than `longest` instructions.
std::optional<std::vector<PathStep>> single_path(const AnalysisContext& context,
                                                 std::size_t longest, Others others = Others::None);

} // namespace warpbound::analyzer

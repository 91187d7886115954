#pragma once
/// \file
/// What a reviewer needs to check a bound: the path problems behind it, each with its bound and a
/// worst-case (best-case) path.

#include "analyzer/divergence/serialized_blocks.hpp"
#include "analyzer/launch/path_bound.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// No path of `paths` that the flow facts allow costs more (lower side: less) than `bound`.
/// `Unit:` core cycles.
struct PathCertificate {
    std::string id;   ///< "execution-time-upper-stall": unique in an analysis.
    std::string text; ///< What the costs are.
    Side side = Side::Upper;
    Facts facts = Facts::All;
    /// Blocks of the two clock reads between which the paths lie; none: entry to an exit.
    std::optional<std::pair<std::size_t, std::size_t>> between;
    std::int64_t bound = 0;
    PathGraph paths; ///< The smallest that was found to give the bound.
    /// Sets of nodes in which no path turns without entering them from outside, as the script says
    /// of each: those without which it does not show the bound. `Shape:` increasing, without node
    /// 0, from which paths start.
    std::vector<std::vector<std::size_t>> regions{};
    /// A path of the control-flow graph that meets the bound that was found, if there is one; its
    /// cost is the best of its ways through `paths`.
    std::optional<BlockPath> witness;
};

/// The blocks and loops that lemmas of the upper side are about where the lanes of a warp may part.
struct SerializedPaths {
    LanesInTurn lanes;
    std::vector<BackEdgeBounds> loops; ///< Of `lanes.graph`.
};

/// Filled by `analyze` when the request asks for it.
struct CertificateStore {
    std::vector<PathCertificate> certificates;
    std::optional<SerializedPaths> in_turn{}; ///< None: all lemmas are about the kernel's blocks.
};

} // namespace warpbound::analyzer

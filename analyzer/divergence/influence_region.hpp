#pragma once
/// \file
/// What lanes that part at a branch may pass before they meet again (rules C38 to C40).

#include "analyzer/divergence/reconvergence_stack.hpp"

#include <optional>
#include <set>

namespace warpbound::analyzer {

/// Where lanes that part at the end of a block meet.
struct Meeting {
    std::optional<std::size_t> block;
    std::optional<ReconvergencePoint> point; ///< At which they arrive; none: where all ways meet.
    ReconvergenceStack passed{};  ///< Inside it: lanes may leave them or arrive there before.
    bool ends_where_left = false; ///< A way ends where lanes leave points of the branch.
};

struct InfluenceRegion {
    std::set<std::size_t> blocks;  ///< That a way may pass before the meeting.
    std::set<std::size_t> waiting; ///< Before these lanes may wait at points around the meeting's.
    ReconvergenceStack left;       ///< Of the branch, that a way may leave without arriving.
    bool one_sided = false;        ///< One way leads to the meeting without a block in between.
    bool arrives = true;           ///< Whoever comes to the meeting arrives at its point.
    std::set<std::size_t> leaving; ///< Edges over which lanes leave them, where ways end there.
    std::set<std::size_t> passing; ///< Edges over which lanes arrive at a passed point.
    std::set<std::size_t> behind_passed; ///< The blocks to which these lead.
};

/// From the branch that ends `block`, over blocks that some path reaches.
InfluenceRegion region_of(const assembly::ControlFlowGraph& graph,
                          const ReconvergenceStacks& points, std::size_t block,
                          const Meeting& meeting);

} // namespace warpbound::analyzer

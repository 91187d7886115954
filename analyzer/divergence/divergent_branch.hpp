#pragma once
/// \file
/// A divergent branch: where its threads reconverge, and what they may execute until then (rules
/// C38 to C40).

#include "analyzer/launch/context.hpp"

#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// A branch at which lanes may part.
struct DivergentBranch {
    std::size_t block = 0;              ///< Which it ends.
    std::optional<std::size_t> meeting; ///< Block at which they go on together; none: nowhere.
    bool is_named = false;              ///< At a point of the code.
    std::set<std::size_t> region;       ///< Blocks that a way may pass before the meeting.
    bool is_to_several = false;         ///< More than two ways.
    /// Of two ways one leads to the meeting without a block in between.
    bool one_sided = false;
    /// One way leaves loops around the branch, the other stays: lanes may leave in each turn.
    struct Leaving {
        std::size_t start = 0;        ///< Where the lanes that leave go on.
        std::set<std::size_t> region; ///< What they may pass before the meeting.
        std::int64_t most = 0;        ///< How often some leave before the meeting.
        /// Blocks of other branches at which lanes leave the same turns, for the same meeting.
        std::set<std::size_t> beside{};
    };
    std::optional<Leaving> leaving;
    /// The innermost point of the branch, inside that of the meeting, where lanes of a way may
    /// leave it by BREAK: the others may wait there until all of them have.
    struct Passed {
        std::set<std::size_t> arrivals;    ///< Edges.
        std::optional<std::size_t> behind; ///< Block to which they lead.
    };
    std::optional<Passed> passed;
    /// Edges over which lanes leave its point by BREAK, for one around it, while others meet there;
    /// each at a branch with `leaving`.
    std::set<std::size_t> breaks;
    /// Blocks that some lanes may execute while others that parted from them here are elsewhere.
    std::set<std::size_t> apart;
};

/// Edges over which lanes arrive at a point that SSY, PBK, PCNT or BSSY made, and the partings.
struct Reconvergence {
    std::set<std::size_t> arrivals;                  ///< Edges of the graph.
    std::vector<DivergentBranch> divergent_branches; ///< Larger regions first.
};

} // namespace warpbound::analyzer

#pragma once
/// \file
/// The costliest (cheapest) path of a table under loop bounds, by this folder's own dynamic
/// programme, and the cost of a witness.

#include "certification/verify/flow/control_flow.hpp"

#include <map>
#include <optional>
#include <string>

namespace warpbound::certification::verify {

/// Best costs of a stay in a loop, from entering it at a node, by the node outside that follows;
/// `end`: the path ends inside.
struct TraversalCosts {
    std::map<std::size_t, std::int64_t> exits;
    std::optional<std::int64_t> end;
};

/// Nodes that a table has of one block: one per time that is followed through it (96), one for the
/// earliest issue and one for the start of the run. The work grows with the cube.
inline constexpr std::size_t most_nodes_of_a_block = 98;

/// Errors: `Finding` when a sum leaves +-2^62 or a block has more nodes than that.
class PathProblem {
public:
    PathProblem(const ControlFlow& flow, const Certificate& certificate);

    /// Of all paths from node 0 to an end; nothing when there is none.
    [[nodiscard]] std::optional<std::int64_t> best() const;
    /// `header`: a node of a loop's header.
    [[nodiscard]] TraversalCosts stay_at(std::size_t header) const;

private:
    struct Reach {
        TraversalCosts out;                        ///< What leaves the region.
        std::map<std::size_t, std::int64_t> turns; ///< By header node of the region.
    };
    [[nodiscard]] Reach explore(const CheckedLoop* loop, std::size_t start) const;
    void solve(const CheckedLoop& loop);

    const ControlFlow& flow_;
    const Certificate& certificate_;
    std::int64_t sign_;
    std::vector<std::size_t> nodes_;            ///< In order of their blocks.
    std::vector<std::vector<std::size_t>> out_; ///< Edges by source.
    std::map<std::size_t, TraversalCosts>
        stays_;                              ///< By header node; signed so that more is better.
    std::vector<const CheckedLoop*> headed_; ///< Per block: the loop it heads.
};

/// The best cost of the ways through the table along a lemma's witness; nothing when the table has
/// no such way.
std::optional<std::int64_t> witness_cost(const Certificate& certificate);

/// How often the witness executes each block.
std::map<std::size_t, std::int64_t> witness_counts(const Certificate& certificate);

} // namespace warpbound::certification::verify

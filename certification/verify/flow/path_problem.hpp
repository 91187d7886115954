#pragma once
/// \file
/// The costliest (cheapest) path of a table under loop bounds, by dynamic programming over loop
/// traversals (step S6 of docs/theory), and the cost of a witness.

#include "certification/verify/flow/control_flow.hpp"

#include <map>
#include <optional>
#include <string>

namespace warpbound::certification::verify {

/// Best costs of a loop traversal, from entering the loop at a node, by the node outside that
/// follows; `end`: the path ends inside.
struct TraversalCosts {
    std::map<std::size_t, std::int64_t> exits;
    std::optional<std::int64_t> end;
};

/// The most nodes that a table may have of one block: one for each pending time that is followed
/// through the block (96), one for the earliest issue and one for the start of the run.
inline constexpr std::size_t most_nodes_of_a_block = 98;
/// The most nodes that a header of a loop may have where nodes remember what occurred. The work
/// grows with the cube of their number.
inline constexpr std::size_t most_nodes_of_a_header = 512;

/// Errors: `Finding` when a sum leaves +-2^62 or a header has more nodes than that.
class PathProblem {
public:
    PathProblem(const ControlFlow& flow, const Certificate& certificate);

    /// Of all paths from node 0 to an end; none when there is no such path.
    [[nodiscard]] std::optional<std::int64_t> best() const;
    /// Longest (shortest) distances from node 0, of nodes outside all loops and of header nodes of
    /// outermost loops. To an edge, and to a traversal, the distance of its target is never less
    /// (more) than that of its source and the cost; for this, nodes that no path reaches get a
    /// distance too. Others: 0.
    [[nodiscard]] std::vector<std::int64_t> distances() const;
    /// `header`: a node of the header of a loop.
    [[nodiscard]] TraversalCosts traversal_from(std::size_t header) const;

private:
    /// Best costs per node while a region is explored; none of any node in between.
    using Values = std::vector<std::optional<std::int64_t>>;
    struct Reach {
        TraversalCosts out; ///< What leaves the region.
        /// By header node of the region: one more iteration begins there.
        std::map<std::size_t, std::int64_t> next_headers;
    };
    /// `nodes`: of the region, in order of their blocks.
    [[nodiscard]] Reach explore(const CheckedLoop* loop, const std::vector<std::size_t>& nodes,
                                std::size_t start, Values& values) const;
    /// The same; leaves the values behind.
    [[nodiscard]] Reach spread(const CheckedLoop* loop, const std::vector<std::size_t>& nodes,
                               std::size_t start, Values& values) const;
    /// The largest distance that the successors of a node allow. `end`: best cost of all paths.
    [[nodiscard]] std::int64_t largest_distance(std::size_t node, const Values& values,
                                                std::int64_t end) const;
    /// All nodes, in order of their blocks.
    [[nodiscard]] std::vector<std::size_t> all_nodes() const;
    void solve(const CheckedLoop& loop, Values& values);
    /// Of these blocks, in order of their blocks.
    [[nodiscard]] std::vector<std::size_t> nodes_in(std::vector<std::size_t> blocks) const;

    const ControlFlow& flow_;
    const Certificate& certificate_;
    std::int64_t sign_;
    std::vector<std::vector<std::size_t>> nodes_of_; ///< Nodes by block.
    std::vector<std::vector<std::size_t>> out_;      ///< Edges by source.
    std::map<std::size_t, TraversalCosts>
        traversals_;                         ///< By header node; signed so that more is better.
    std::vector<const CheckedLoop*> headed_; ///< Per block: the loop it heads.
};

/// The largest (smallest) sum of block costs over the paths that loop bounds allow; none where no
/// path ends. `sums`: per block.
std::optional<std::int64_t> best_block_sum(const ControlFlow& flow,
                                           const std::vector<std::int64_t>& sums, bool upper);

/// The best cost of the paths through the table along a certificate's witness; none when the table
/// has no such path.
std::optional<std::int64_t> witness_cost(const Certificate& certificate);

/// Nodes of a table by block. `blocks`: their number.
std::vector<std::vector<std::size_t>> nodes_by_block(const Certificate& certificate,
                                                     std::size_t blocks);

/// How often the witness executes each block.
std::map<std::size_t, std::int64_t> witness_counts(const Certificate& certificate);

} // namespace warpbound::certification::verify

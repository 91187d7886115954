#pragma once
/// \file
/// The structural path problem: the costliest (cheapest) path of a path graph under loop bounds
/// alone, solved exactly by dynamic programming, inner loops first (docs/theory, S6).

#include "analyzer/flow/loop_bounds.hpp"
#include "analyzer/path/compressed_path.hpp"
#include "analyzer/path/path_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// Longest paths for the upper side, shortest for the lower.
class LoopBoundedPaths {
public:
    /// `bounds[loop]` for every loop of the graph.
    /// Errors: `std::overflow_error` when a cost leaves the range.
    LoopBoundedPaths(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                     const std::vector<BackEdgeBounds>& bounds, Side side);

    /// The best path from the start to an end; none when no path satisfies the bounds.
    [[nodiscard]] std::optional<BlockPath> start_to_end() const;

    /// Best cost of a loop traversal, from its entry at a header node to each exit.
    struct Traversal {
        std::vector<PathEdge> exits; ///< To the node after the loop.
        std::optional<std::int64_t> end_cost;
    };
    [[nodiscard]] Traversal traversal_from(NodeIndex header_node) const;
    /// Appends the rules of the best traversal that leaves to `exit` (none: to the end), and
    /// returns the last rule.
    RuleIndex append_traversal(BlockPath& path, NodeIndex header_node,
                               std::optional<NodeIndex> exit) const;

private:
    using Value = std::optional<std::int64_t>;   ///< Signed: larger is better on either side.
    static constexpr std::size_t top_region = 0; ///< Region r > 0 is loop r - 1.
    /// Of a region: an own node, or the header of an inner loop.
    using ItemIndex = assembly::Index<struct ItemTag>;
    template <class T> using PerItem = assembly::IndexedVector<ItemIndex, T>;

    /// How a run from one start inside a region reaches a node or an end.
    struct Arrival {
        Value value;
        ItemIndex previous;
    };
    struct Run {
        ItemIndex start;
        PerItem<Arrival> items;
        std::map<NodeIndex, Arrival> exits; ///< By node outside the region.
        std::map<NodeIndex, Arrival> backs; ///< By header node of the region.
        Arrival end;                        ///< The warp ends inside the region.
    };
    using Matrix = std::vector<std::vector<Value>>;
    struct Factor {
        int table = 0; ///< 0: powers of B, 1: powers of (I or B).
        std::size_t level = 0;
    };
    struct Region {
        PerItem<NodeIndex> items;       ///< By block.
        std::vector<NodeIndex> headers; ///< Nodes of the header block; empty for the top region.
        std::vector<Run> runs;          ///< One per header node.
        std::vector<std::vector<Matrix>> tables; ///< `Shape:` tables[table][level].
        std::vector<Factor> factors;
        std::vector<Matrix> products; ///< products[i]: of the first i factors.
    };
    /// What follows a loop traversal.
    struct Goal {
        bool end = false;
        NodeIndex exit;
    };
    enum class Target { Inside, Header, Outside };

    [[nodiscard]] std::int64_t signed_cost(std::int64_t cost) const {
        return side_ == Side::Upper ? cost : -cost;
    }
    [[nodiscard]] bool contains(std::size_t region, BlockIndex block) const;
    [[nodiscard]] Target target_of(std::size_t region, NodeIndex node) const;
    [[nodiscard]] ItemIndex item_of(std::size_t region, NodeIndex node) const;
    /// Region of a node's innermost loop.
    [[nodiscard]] std::size_t region_of(NodeIndex node) const;
    [[nodiscard]] std::optional<std::size_t> inner_region(std::size_t region, NodeIndex node) const;
    void build_regions();
    void solve_loop(std::size_t region);
    [[nodiscard]] Run run_from(std::size_t region, NodeIndex node) const;
    void relax(std::size_t region, Run& run, ItemIndex item, NodeIndex target,
               std::int64_t value) const;
    [[nodiscard]] static Matrix product(const Matrix& a, const Matrix& b);
    [[nodiscard]] const Matrix& all_iterations(std::size_t region) const {
        return regions_[region].products.back();
    }
    [[nodiscard]] static Value goal_value(const Run& run, const Goal& goal);
    /// Best value of a loop traversal from one header node, by exit.
    struct Traversals {
        std::map<NodeIndex, Value> exits;
        Value end;
    };
    [[nodiscard]] Traversals traversals_from(std::size_t region, std::size_t header) const;
    /// Best value of a loop traversal from a header node to a goal, and the header node of the last
    /// iteration.
    [[nodiscard]] std::pair<Value, std::size_t>
    best_traversal(std::size_t region, std::size_t header, const Goal& goal) const;

    /// Writes the rules of a path; a rule stands for the same nodes wherever it is used.
    class Extraction;

    const assembly::ControlFlowGraph& graph_;
    const PathGraph& paths_;
    const std::vector<BackEdgeBounds>& bounds_;
    Side side_;
    std::vector<Region> regions_;
    PerNode<ItemIndex> own_item_;        ///< In the region of its innermost loop.
    PerNode<ItemIndex> parent_item_;     ///< Of header nodes: in the region around their loop.
    PerNode<std::size_t> header_number_; ///< Of header nodes: in their region's `headers`.
};

} // namespace warpbound::analyzer

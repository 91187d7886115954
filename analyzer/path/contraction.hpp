#pragma once
/// \file
/// Contraction of a path graph: what further flow facts do not mention is replaced by its best
/// path, so that the solver only sees what it has to decide.

#include "analyzer/path/loop_bounded_paths.hpp"

#include <set>

namespace warpbound::analyzer {

/// A loop without a kept block is replaced by its best traversal, any other block by the best path
/// through it. A block whose removal would add edges remains. Exact: for every sequence of visits
/// of the kept blocks the best cost is the same as before.
class Contraction {
public:
    /// `kept`: block addresses that facts mention. `structural` must outlive the contraction.
    Contraction(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                const LoopBoundedPaths& structural, const std::set<std::int64_t>& kept, Side side);

    [[nodiscard]] const PathGraph& graph() const { return contracted_; }
    /// `Shape:` [loop]: its header and iterations are still in the graph.
    [[nodiscard]] const std::vector<bool>& loop_kept() const { return loop_kept_; }
    /// The path of the original graph for nodes of the contracted one, the last of which ends.
    [[nodiscard]] BlockPath expand(const std::vector<std::size_t>& nodes) const;

private:
    static constexpr std::size_t no_index = SIZE_MAX;
    /// What an edge of the contracted graph stands for.
    struct Via {
        std::size_t first = no_index;  ///< What comes before the node.
        std::size_t node = no_index;   ///< Original node.
        std::size_t second = no_index; ///< What comes after it.
        bool traversal = false;        ///< `node` is the header of a loop, which is left to `exit`.
        std::optional<std::size_t> exit; ///< Original node; none: the end.
    };
    struct Link {
        std::int64_t cost = 0;
        std::size_t via = no_index;
    };
    using Links = std::map<std::size_t, Link>; ///< By target; the end counts as one more node.

    void mark_kept(const std::set<std::int64_t>& kept);
    void link_all();
    void link(std::size_t from, std::size_t to, const Link& link);
    [[nodiscard]] bool remove_block(const std::vector<std::size_t>& nodes);
    void renumber();
    [[nodiscard]] std::optional<std::size_t> contracted_loop(std::size_t node) const;
    void append_node(PathRule& rule, std::size_t node) const;
    void append(BlockPath& path, PathRule& rule, std::size_t via) const;

    const assembly::ControlFlowGraph& graph_;
    const PathGraph& paths_;
    const LoopBoundedPaths& structural_;
    Side side_;
    std::size_t end_;
    std::vector<bool> loop_kept_;  ///< Per loop.
    std::vector<bool> block_kept_; ///< Per block.
    std::vector<Links> out_;       ///< Per original node.
    std::vector<std::set<std::size_t>> in_;
    std::vector<Via> vias_;
    PathGraph contracted_;
    std::vector<std::size_t> original_; ///< Per contracted node.
};

} // namespace warpbound::analyzer

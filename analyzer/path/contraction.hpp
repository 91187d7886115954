#pragma once
/// \file
/// Contraction of a path graph: what further flow facts do not mention is replaced by its best
/// path, so that the solver only sees what it has to decide.

#include "analyzer/path/loop_bounded_paths.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

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
    [[nodiscard]] BlockPath expand(const std::vector<NodeIndex>& nodes) const;

private:
    using ViaIndex = assembly::Index<struct ViaTag>;
    static constexpr ViaIndex no_via{SIZE_MAX};
    /// What an edge of the contracted graph stands for.
    struct Via {
        ViaIndex first = no_via;  ///< What comes before the node.
        NodeIndex node;           ///< Original node.
        ViaIndex second = no_via; ///< What comes after it.
        bool traversal = false;   ///< `node` is the header of a loop, which is left to `exit`.
        std::optional<NodeIndex> exit{}; ///< Original node; none: the end.
    };
    struct Link {
        std::int64_t cost = 0;
        ViaIndex via = no_via;
    };
    using Links = std::map<NodeIndex, Link>; ///< By target; the end counts as one more node.

    void mark_kept(const std::set<std::int64_t>& kept);
    void link_all();
    void link(NodeIndex from, NodeIndex to, const Link& link);
    [[nodiscard]] bool remove_block(const std::vector<NodeIndex>& nodes);
    void renumber();
    [[nodiscard]] std::optional<std::size_t> contracted_loop(NodeIndex node) const;
    void append_node(PathRule& rule, NodeIndex node) const;
    void append(BlockPath& path, PathRule& rule, ViaIndex via) const;

    const assembly::ControlFlowGraph& graph_;
    const PathGraph& paths_;
    const LoopBoundedPaths& structural_;
    Side side_;
    NodeIndex end_;               ///< Not a node.
    std::vector<bool> loop_kept_; ///< Per loop.
    PerBlock<bool> block_kept_;
    PerNode<Links> out_; ///< Per original node.
    PerNode<std::set<NodeIndex>> in_;
    assembly::IndexedVector<ViaIndex, Via> vias_;
    PathGraph contracted_;
    PerNode<NodeIndex> original_; ///< Per contracted node.
};

} // namespace warpbound::analyzer

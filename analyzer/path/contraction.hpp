#pragma once
/// \file
/// A path graph with everything taken out that further facts do not mention, so that the solver
/// only sees what it has to decide.

#include "analyzer/path/loop_bounded_paths.hpp"

#include <set>

namespace warpbound::analyzer {

/// Loops without a kept block count as their best stay, other blocks as their best way through.
/// Blocks that would only blow up the graph stay. Exact: for every way of visiting the kept blocks
/// the best cost is the same as before.
class Contraction {
public:
    /// `kept`: block addresses that facts mention. `structural` must outlive the contraction.
    Contraction(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                const LoopBoundedPaths& structural, const std::set<std::int64_t>& kept, Side side);

    [[nodiscard]] const PathGraph& graph() const { return contracted_; }
    /// `Shape:` [loop]: its header and iterations are still there.
    [[nodiscard]] const std::vector<bool>& loop_kept() const { return loop_kept_; }
    /// The path of the original graph behind nodes of the contracted one, the last of which ends.
    [[nodiscard]] BlockPath expand(const std::vector<std::size_t>& nodes) const;

private:
    static constexpr std::size_t nothing = SIZE_MAX;
    /// What lies between the two ends of an edge.
    struct Via {
        std::size_t first = nothing;     ///< Before the node.
        std::size_t node = nothing;      ///< Original node.
        std::size_t second = nothing;    ///< Behind it.
        bool stay = false;               ///< `node` is entered as a loop, left to `exit`.
        std::optional<std::size_t> exit; ///< Original node; none: the end.
    };
    struct Link {
        std::int64_t cost = 0;
        std::size_t via = nothing;
    };
    using Links = std::map<std::size_t, Link>; ///< By target; the end is one more node.

    void mark(const std::set<std::int64_t>& kept);
    void link_all();
    void link(std::size_t from, std::size_t to, const Link& link);
    [[nodiscard]] bool remove_block(const std::vector<std::size_t>& nodes);
    void number();
    [[nodiscard]] std::optional<std::size_t> left_out_loop(std::size_t node) const;
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

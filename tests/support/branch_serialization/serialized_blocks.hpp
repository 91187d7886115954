#pragma once
/// \file
/// The nodes of the serialized control-flow graph (CFG) of a warp whose lanes may diverge: a block
/// has one node for each set of lanes that execute it one after the other (docs/theory,
/// S19d).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "tests/support/branch_serialization/reconvergence.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// A serialized CFG under construction; at first its nodes are the kernel's blocks.
///
/// The functions about a `DivergentBranch` ask about, or extend, its paths in the influence region:
/// "ends" of a path are the nodes after which its lanes wait for others or have ended.
class SerializedBlocks {
public:
    struct Node {
        std::size_t original = 0; ///< Block of the kernel's graph.
        struct Successor {
            std::size_t to = 0;              ///< Node.
            std::optional<std::size_t> edge; ///< Of the kernel's graph; none: other lanes go on.
            friend bool operator==(const Successor&, const Successor&) = default;
        };
        std::vector<Successor> successors;
        std::optional<std::int64_t> repeated{}; ///< As `SerializedCfg` has it.
        /// Of lanes that exited at the branch of this block and go on before those that remain.
        std::optional<std::size_t> exited_at{};
    };
    using Set = std::set<std::size_t>;
    using Duplicates = std::map<std::size_t, std::size_t>; ///< By the node they duplicate.
    /// What the paths of one node of a branch reach.
    struct Reached {
        Set inside;                               ///< Nodes of the influence region.
        std::optional<std::size_t> reconvergence; ///< Node where all lanes go on.
    };

    SerializedBlocks(const AnalysisContext& context, const Reconvergence& reconvergence);

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    /// The nodes of a block of the kernel's graph.
    [[nodiscard]] const std::vector<std::size_t>& nodes_of(std::size_t block) const {
        return of_block_[block];
    }
    [[nodiscard]] Node& operator[](std::size_t node) { return nodes_[node]; }
    [[nodiscard]] const Node& operator[](std::size_t node) const { return nodes_[node]; }
    [[nodiscard]] const assembly::BasicBlock& block_of(std::size_t node) const {
        return original_of(nodes_[node].original);
    }
    [[nodiscard]] const assembly::BasicBlock& original_of(std::size_t block) const {
        return graph_.blocks[block];
    }

    [[nodiscard]] Reached reached_by(std::size_t branch_node, const DivergentBranch& branch) const;
    /// Nodes of the influence region that a path may pass from `start` on.
    [[nodiscard]] Set reached_from(std::size_t start, const DivergentBranch& branch) const;
    /// The edge leads to the reconvergence, or to a point around the branch's.
    [[nodiscard]] bool leaves_region(std::size_t edge, const DivergentBranch& branch) const;
    /// The path continues in the influence region: by the same lanes, or by those of them that
    /// remain.
    [[nodiscard]] bool remains_in_region(std::size_t node, const Node::Successor& successor,
                                         const DivergentBranch& branch) const;
    /// The node is of lanes that left a path of the branch by BREAK.
    [[nodiscard]] bool is_after_break(std::size_t node, const DivergentBranch& branch) const;
    /// Lanes may leave the branch's point by BREAK here, towards a point around it.
    [[nodiscard]] bool has_break(std::size_t node, const DivergentBranch& branch) const;
    /// All lanes of the path may end here, or wait for others after the node.
    [[nodiscard]] bool ends_path(std::size_t node, const DivergentBranch& branch) const;
    /// Lanes may wait after the node at the inner point, which others leave by BREAK.
    [[nodiscard]] bool arrives_at_inner_point(std::size_t node,
                                              const DivergentBranch& branch) const;
    /// All lanes of the path may end here, or wait at a point around the branch's.
    [[nodiscard]] bool misses_reconvergence(std::size_t node, const DivergentBranch& branch) const;

    /// After `from`, other lanes go on at `to`.
    void add_successor(std::size_t from, std::size_t to);
    /// Adds a node with the same block and successors.
    std::size_t duplicate(std::size_t node);
    /// Duplicates nodes with the edges of the region between them; other edges lead where they led.
    Duplicates duplicate_all(const Set& of, const DivergentBranch& branch);
    static Set values_of(const Duplicates& duplicates);
    /// Duplicates what follows the inner point, for lanes that waited there until the others had
    /// left it and come to the reconvergence or ended. Returns where the waiting lanes go on.
    std::vector<std::size_t> duplicate_after_inner_point(const Reached& reached,
                                                         const DivergentBranch& branch);
    /// After ends of `path` that miss the reconvergence, the lanes that wait there go on.
    void resume_at_reconvergence(const Set& path, const DivergentBranch& branch,
                                 std::optional<std::size_t> reconvergence);
    /// After the ends of `path`, the lanes that waited at the inner point go on at `resumed`.
    void resume_after_inner_point(const Set& path, const DivergentBranch& branch,
                                  const std::vector<std::size_t>& resumed);

    /// The graph, its nodes in reverse postorder. Refuses nodes that form no control flow that can
    /// be bounded.
    [[nodiscard]] Result<SerializedCfg> in_reverse_postorder() const;

private:
    [[nodiscard]] bool is_never_executed(std::size_t edge) const;

    const AnalysisContext& context_;
    const assembly::ControlFlowGraph& graph_;
    const Reconvergence& reconvergence_;
    std::vector<Node> nodes_;
    std::vector<std::vector<std::size_t>> of_block_; ///< Nodes.
};

} // namespace warpbound::analyzer

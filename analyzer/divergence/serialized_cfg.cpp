#include "analyzer/divergence/serialized_cfg.hpp"

#include "analyzer/divergence/branch_paths.hpp"
#include "analyzer/divergence/group_counts.hpp"
#include "analyzer/divergence/node_graph.hpp"
#include "analyzer/divergence/product_exploration.hpp"
#include "assembly/flow/block_exploration.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t wide = 500; ///< Nodes of the sets of a branch's groups: counts do.
constexpr std::size_t most_nodes_of_sets = 1'000; ///< Where counts do; or
constexpr std::size_t most_sets_per_count = 4;    ///< times the nodes of counts, if that is more.
constexpr std::size_t most_attempts = 6;

/// Headers of the code's loops head the loops of nodes, blocks in which lanes end only those of
/// which they are all; none where the loop of nodes would not be bounded.
HeaderRank header_rank(const TimedKernel& kernel) {
    return [&kernel](const std::set<BlockIndex>& blocks, BlockIndex block) {
        const auto& graph = *kernel.graph;
        if (!may_head_loop(kernel, blocks, block)) return unbounded_rank;
        const bool is_header =
            std::any_of(graph.loops.begin(), graph.loops.end(),
                        [&](const assembly::Loop& loop) { return header_block(loop) == block; });
        if (is_header) return 0;
        return block_at(graph, block).exits ? 2 : 1;
    };
}

/// No lanes are ever elsewhere.
PerBlock<bool> converged_blocks(const ProductNodes& nodes, std::size_t blocks) {
    PerBlock<bool> converged(blocks, true);
    for (const ProductNode& node : nodes)
        for (const AbstractStack& stack : node.stacks)
            if (!stack.is_converged()) converged[node.block] = false;
    return converged;
}

Result<SerializedCfg> ordered(const TimedKernel& kernel, const ProductNodes& nodes,
                              const Overtaking& overtaking) {
    const auto& graph = *kernel.graph;
    std::vector<assembly::ExploredBlock> blocks;
    for (const ProductNode& node : nodes) {
        const auto& code = block_at(graph, node.block);
        assembly::ExploredBlock block{code.first, code.last, code.exits, code.context, {}};
        for (const auto& [to, falls] : node.successors)
            block.successors.push_back({to.value(), !falls});
        blocks.push_back(std::move(block));
    }
    auto made = assembly::order_blocks(*kernel.function, blocks);
    if (!made)
        return Failure{"the serialized control-flow graph of the divergent lanes is not bounded: " +
                           made.error().what,
                       kernel.function->name};
    const PerBlock<bool> converged = converged_blocks(nodes, graph.blocks.size());
    SerializedCfg cfg;
    cfg.graph = std::move(made.value().graph);
    PerSerializedNode<const ProductNode*> in_order;
    for (const std::size_t given : made.value().explored) {
        const ProductNode& node = nodes[ProductIndex{given}];
        cfg.original.push_back(node.block);
        cfg.converged.push_back(converged[node.block]);
        cfg.stacks.push_back(node.stacks);
        in_order.push_back(&node);
    }
    auto repeated = group_counts(kernel, nodes, overtaking, cfg.graph, in_order);
    if (!repeated) return repeated.as_failure();
    cfg.repeated = std::move(repeated).value();
    return cfg;
}

/// The nodes of one detail, each loop with one entry. None: too many.
Result<std::optional<Product>> nodes_of(const TimedKernel& kernel, NodeDetail detail,
                                        std::size_t node_limit) {
    auto explored = explore_product(kernel, detail, node_limit);
    if (!explored || !explored.value()) return explored;
    Product& product = *explored.value();
    auto nodes = with_single_entries(without_bisimilar(std::move(product.nodes)),
                                     header_rank(kernel), node_limit);
    if (!nodes) return std::optional<Product>{};
    product.nodes = std::move(*nodes);
    return explored;
}

/// Of few branches only the numbers of pending groups are known: of those whose sets make most
/// nodes, and as many as it takes to have not many more nodes than if all wide ones were counted.
Result<std::optional<Product>> nodes_of_groups(const TimedKernel& kernel, std::size_t node_limit) {
    std::set<std::size_t> sizes = sizes_of_sets(kernel);
    sizes.erase(sizes.begin(), sizes.lower_bound(wide));
    if (sizes.empty()) return nodes_of(kernel, {}, node_limit);
    auto counted = nodes_of(kernel, {NodeDetail::Kind::Groups, wide}, node_limit);
    std::size_t limit = most_nodes_of_sets;
    if (counted && counted.value())
        limit = std::max(limit, most_sets_per_count * counted.value()->nodes.size());
    limit = std::min(limit, node_limit);
    std::optional<std::size_t> least;
    for (std::size_t attempt = 0; attempt < most_attempts && least != *sizes.begin(); ++attempt) {
        auto sets = nodes_of(kernel, {NodeDetail::Kind::Groups, least}, limit);
        if (sets && sets.value()) return sets;
        least = *std::prev(least ? sizes.find(*least) : sizes.end());
    }
    return counted;
}

} // namespace

Result<SerializedCfg> serialized_cfg(const TimedKernel& kernel, NodeDetail::Kind detail) {
    const std::size_t blocks = kernel.graph->blocks.size();
    const std::size_t node_limit = most_serialized_nodes(blocks);
    std::optional<Failure> refusal;
    for (const auto kind : {NodeDetail::Kind::Groups, NodeDetail::Kind::Newest,
                            NodeDetail::Kind::Targets, NodeDetail::Kind::Innermost}) {
        if (kind < detail) continue;
        auto product = kind == NodeDetail::Kind::Groups
                           ? nodes_of_groups(kernel, node_limit)
                           : nodes_of(kernel, {kind, wide}, node_limit);
        if (product && product.value()) {
            auto cfg = ordered(kernel, product.value()->nodes, product.value()->overtaking);
            if (cfg) return cfg;
            if (!refusal) refusal = cfg.error();
        }
        if (!product && !refusal) refusal = product.error();
    }
    if (refusal) return *refusal;
    return Failure{fmt::format("divergent branches are nested so deeply that their serialized "
                               "paths need more than {} nodes, the limit for {} basic blocks",
                               node_limit, blocks),
                   kernel.function->name};
}

} // namespace warpbound::analyzer

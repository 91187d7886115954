#include "tests/support/product_cfg/product_cfg.hpp"

#include "assembly/flow/block_exploration.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "tests/support/product_cfg/group_counts.hpp"
#include "tests/support/product_cfg/node_graph.hpp"
#include "tests/support/product_cfg/product_exploration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

/// Headers of the code's loops head the loops of nodes, blocks in which lanes end only those of
/// which they are all.
std::vector<int> header_ranks(const assembly::ControlFlowGraph& graph) {
    std::vector<int> ranks;
    for (const auto& block : graph.blocks)
        ranks.push_back(block.exits ? 2 : 1);
    for (const auto& loop : graph.loops)
        ranks[loop.header] = 0;
    return ranks;
}

/// Per block: no lanes are ever elsewhere.
std::vector<bool> converged_blocks(const std::vector<ProductNode>& nodes, std::size_t blocks) {
    std::vector<bool> converged(blocks, true);
    for (const ProductNode& node : nodes)
        for (const AbstractStack& stack : node.stacks)
            if (!stack.is_converged()) converged[node.block] = false;
    return converged;
}

Result<SerializedCfg> ordered(const AnalysisContext& context, const std::vector<ProductNode>& nodes,
                              const Overtaking& overtaking) {
    const auto& graph = *context.request.graph;
    std::vector<assembly::ExploredBlock> blocks;
    for (const ProductNode& node : nodes) {
        const auto& code = graph.blocks[node.block];
        assembly::ExploredBlock block{code.first, code.last, code.exits, code.context, {}};
        for (const auto& [to, falls] : node.successors)
            block.successors.push_back({to, !falls});
        blocks.push_back(std::move(block));
    }
    auto made = assembly::order_blocks(*context.request.function, blocks);
    if (!made)
        return Failure{"the serialized control-flow graph of the divergent lanes is not bounded: " +
                           made.error().what,
                       context.request.function->name};
    const std::vector<bool> converged = converged_blocks(nodes, graph.blocks.size());
    SerializedCfg cfg{std::move(made.value().graph), {}, {}, {}};
    std::vector<const ProductNode*> in_order;
    for (const std::size_t given : made.value().explored) {
        cfg.original.push_back(nodes[given].block);
        cfg.converged.push_back(converged[nodes[given].block]);
        in_order.push_back(&nodes[given]);
    }
    auto repeated = group_counts(context, nodes, overtaking, cfg.graph, in_order);
    if (!repeated) return repeated.as_failure();
    cfg.repeated = std::move(repeated).value();
    return cfg;
}

} // namespace

Result<SerializedCfg> product_cfg(const AnalysisContext& context, std::size_t node_limit) {
    const std::vector<int> ranks = header_ranks(*context.request.graph);
    for (const NodeDetail detail : {NodeDetail::Groups, NodeDetail::Branches}) {
        auto explored = explore_product(context, detail, node_limit);
        if (!explored) return explored.as_failure();
        if (!explored.value()) continue;
        auto nodes = with_single_entries(without_bisimilar(std::move(explored.value()->nodes)),
                                         ranks, node_limit);
        if (nodes) return ordered(context, *nodes, explored.value()->overtaking);
    }
    return Failure{fmt::format("divergent branches are nested so deeply that their serialized "
                               "paths need more than {} nodes, the limit for {} basic blocks",
                               node_limit, context.request.graph->blocks.size()),
                   context.request.function->name};
}

} // namespace warpbound::analyzer

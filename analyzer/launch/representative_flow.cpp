#include "analyzer/launch/representative_flow.hpp"

#include "models/facts/barrier_rule.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

assembly::ControlFlowGraph representative_flow(const assembly::ControlFlowGraph& graph,
                                               const models::RepresentativeFact& fact) {
    assembly::ControlFlowGraph left = graph;
    const auto is_excluded = [&](std::size_t edge) {
        const auto ends = std::pair{graph.blocks[graph.edges[edge].from].address,
                                    graph.blocks[graph.edges[edge].to].address};
        return std::find(fact.edges.begin(), fact.edges.end(), ends) != fact.edges.end();
    };
    for (assembly::BasicBlock& block : left.blocks) {
        std::erase_if(block.out, is_excluded);
        std::erase_if(block.in, is_excluded);
        if (std::find(fact.ends.begin(), fact.ends.end(), block.address) != fact.ends.end())
            block.exits = false;
    }
    return left;
}

assembly::ControlFlowGraph possible_flow(const assembly::ControlFlowGraph& graph,
                                         const models::FlowFacts& facts) {
    assembly::ControlFlowGraph left = graph;
    const std::vector<bool> excluded = models::excluded_edges(graph, facts);
    const auto is_excluded = [&](std::size_t edge) { return excluded[edge]; };
    for (assembly::BasicBlock& block : left.blocks) {
        std::erase_if(block.out, is_excluded);
        std::erase_if(block.in, is_excluded);
    }
    return left;
}

} // namespace warpbound::analyzer

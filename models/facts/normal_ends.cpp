#include "models/facts/normal_ends.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpbound::models {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;

/// Blocks from which each path ends at a trap or in unknown code.
std::vector<bool> doomed_blocks(const assembly::Function& function, const ControlFlowGraph& graph) {
    std::vector<bool> doomed(graph.blocks.size(), false);
    const auto is_doomed = [&](const assembly::BasicBlock& code) {
        const assembly::Instruction& last = function.instructions[code.last];
        if (code.out.empty())
            return last.control_flow == ControlFlow::Trap ||
                   last.control_flow == ControlFlow::ExternalCall;
        return !code.exits && std::all_of(code.out.begin(), code.out.end(), [&](std::size_t edge) {
            return doomed[graph.edges[edge].to];
        });
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = graph.blocks.size(); block-- > 0;)
            if (!doomed[block] && is_doomed(graph.blocks[block])) doomed[block] = changed = true;
    }
    return doomed;
}

} // namespace

void assume_normal_ends(const assembly::Function& function, const ControlFlowGraph& graph,
                        FlowFacts& facts) {
    const std::vector<bool> doomed = doomed_blocks(function, graph);
    for (std::size_t block = 0; block < doomed.size(); ++block) {
        const assembly::BasicBlock& code = graph.blocks[block];
        if (doomed[block]) {
            if (!facts.is_never(code.address))
                facts.nevers.push_back({code.address, by_normal_end});
            continue;
        }
        const auto left = std::count_if(code.out.begin(), code.out.end(), [&](std::size_t edge) {
            return !doomed[graph.edges[edge].to];
        });
        const std::int64_t at = function.instructions[code.last].address;
        const bool decides = code.out.size() > 1 && left == 1 && !code.exits;
        if (decides && !facts.is_uniform(at) && !facts.is_divergent(at))
            facts.uniforms.push_back({at, by_normal_end});
    }
}

} // namespace warpbound::models

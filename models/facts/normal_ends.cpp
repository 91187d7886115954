#include "models/facts/normal_ends.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
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
    // Facts name addresses: of code that several calls share they have to hold in every context.
    std::map<std::int64_t, bool> never;
    std::map<std::int64_t, bool> has_one_way;
    const auto in_all = [](std::map<std::int64_t, bool>& facts_at, std::int64_t at, bool holds) {
        const auto [known, is_new] = facts_at.emplace(at, holds);
        if (!is_new) known->second = known->second && holds;
    };
    for (std::size_t block = 0; block < doomed.size(); ++block) {
        const assembly::BasicBlock& code = graph.blocks[block];
        in_all(never, code.address, doomed[block]);
        if (doomed[block]) continue;
        const auto left = std::count_if(code.out.begin(), code.out.end(), [&](std::size_t edge) {
            return !doomed[graph.edges[edge].to];
        });
        in_all(has_one_way, function.instructions[code.last].address,
               code.out.size() > 1 && left == 1 && !code.exits);
    }
    for (const auto& [at, holds] : never)
        if (holds && !facts.is_never(at)) facts.nevers.push_back({at, by_normal_end});
    for (const auto& [at, holds] : has_one_way)
        if (holds && !facts.is_uniform(at) && !facts.is_divergent(at))
            facts.uniforms.push_back({at, by_normal_end});
}

} // namespace warpbound::models

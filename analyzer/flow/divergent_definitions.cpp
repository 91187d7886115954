#include "analyzer/flow/divergent_definitions.hpp"

#include "analyzer/flow/open_barriers.hpp"
#include "assembly/flow/post_dominators.hpp"

#include <algorithm>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;

/// What lanes may pass from a divergent branch on until they are together again.
struct Region {
    std::vector<int> paths; ///< Per block: from how many successors of the branch it is reached.
    std::optional<std::size_t> together;

    /// Lanes that left the branch by different successors may come here.
    [[nodiscard]] bool meets(std::size_t block) const {
        return block == together || paths[block] > 1;
    }
};

Region region_of(const ControlFlowGraph& graph, std::size_t branch,
                 std::optional<std::size_t> together) {
    Region region{std::vector<int>(graph.blocks.size(), 0), together};
    std::set<std::size_t> successors;
    for (const std::size_t edge : graph.blocks[branch].out)
        successors.insert(graph.edges[edge].to);
    for (const std::size_t successor : successors) {
        if (successor == together) continue;
        auto reached = assembly::blocks_reachable_from(
            graph, successor, [&](const assembly::Edge& edge) { return edge.to != together; });
        reached[successor] = true;
        for (std::size_t block = 0; block < reached.size(); ++block)
            region.paths[block] += reached[block] ? 1 : 0;
    }
    return region;
}

/// Whether lanes that went different ways at the branch, which they left in one iteration of the
/// loop or before it, are in one iteration when they execute an instruction of the loop together.
bool keeps_step(const assembly::Loop& loop, std::size_t branch, const Region& region) {
    if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), branch))
        return region.paths[loop.header] == 0;
    return std::none_of(loop.blocks.begin(), loop.blocks.end(), [&](std::size_t block) {
        return region.meets(block) && !(block == loop.header && region.together == block);
    });
}

} // namespace

std::optional<DivergentDefinitions> divergent_definitions(const Function& function,
                                                          const ControlFlowGraph& graph,
                                                          const std::set<std::size_t>& divergent) {
    DivergentDefinitions found;
    found.in_step.assign(graph.loops.size(), true);
    if (divergent.empty()) return found;
    const OpenBarriers barriers{function, graph};
    if (!barriers.known()) return std::nullopt;
    const auto post_dominator = assembly::immediate_post_dominators(graph);
    for (const std::size_t branch : divergent) {
        const auto together =
            barriers.none_at(branch) ? post_dominator[branch] : barriers.after_wait_of(branch);
        const Region region = region_of(graph, branch, together);
        for (std::size_t loop = 0; loop < graph.loops.size(); ++loop)
            found.in_step[loop] =
                found.in_step[loop] && keeps_step(graph.loops[loop], branch, region);
        std::set<assembly::Register> written;
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            if (region.paths[block] == 0) continue;
            for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i) {
                const auto& effects = function.instructions[i].effects;
                if (!effects.writes_known) return std::nullopt;
                written.insert(effects.writes.begin(), effects.writes.end());
            }
        }
        for (std::size_t block = 0; block < graph.blocks.size(); ++block)
            if (region.meets(block)) {
                found.joined[block].insert(written.begin(), written.end());
                const auto& in = graph.blocks[block].in;
                if (std::any_of(in.begin(), in.end(), [&](std::size_t edge) {
                        return !region.meets(graph.edges[edge].from);
                    }))
                    found.reconverged[block].insert(written.begin(), written.end());
            }
        for (const assembly::Register reg : written)
            if (reg.file == assembly::RegisterFile::Uniform ||
                reg.file == assembly::RegisterFile::UniformPredicate)
                found.shared.insert(reg);
    }
    return found;
}

} // namespace warpbound::analyzer

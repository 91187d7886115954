#include "analyzer/launch/timed_kernel.hpp"

#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

namespace warpbound::analyzer {

Failure refuse_at(const assembly::Function& function, std::size_t instruction,
                  const std::string& what) {
    const assembly::Instruction& at = function.instructions[instruction];
    return Failure{fmt::format("{}: {}", assembly::place_of(function, at), what), function.name,
                   at.position.line, at.position.column};
}

std::vector<bool> used_instructions(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const assembly::PerBlock<bool>& never) {
    std::vector<bool> used(function.instructions.size(), false);
    assembly::PerBlock<bool> seen(graph.blocks.size(), false);
    std::vector<assembly::BlockIndex> work{assembly::entry_block};
    seen[assembly::entry_block] = true;
    while (!work.empty()) {
        const auto& block = block_at(graph, work.back());
        work.pop_back();
        for (std::size_t i = block.first; i <= block.last; ++i)
            used[i] = true;
        for (const std::size_t edge : block.out) {
            const assembly::BlockIndex to = to_block(graph.edges[edge]);
            if (seen[to] || never[to]) continue;
            seen[to] = true;
            work.push_back(to);
        }
    }
    return used;
}

} // namespace warpbound::analyzer

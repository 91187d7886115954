#include "analyzer/value/block_states.hpp"

#include "analyzer/value/transfer_functions.hpp"

#include <numeric>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::EdgeKind;
using assembly::Function;
using assembly::Instruction;

struct Code {
    const Function& function;
    const ControlFlowGraph& graph;
    Lanes lanes;
    bool names = false; ///< Places outside loops give names to what is computed there.

    [[nodiscard]] std::optional<Place> place(std::size_t block, std::size_t offset) const {
        if (!names || graph.innermost_loop[block]) return std::nullopt;
        return Place{block, offset};
    }

    void execute(std::size_t block, SymbolicRegisters& values) const {
        const auto& code = graph.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i)
            analyzer::execute(values, function.instructions[i], place(block, i - code.first + 1));
    }
};

/// Values at the ends of `blocks` (in increasing order) that begin at `entry`. `again`: the entry
/// is also reached over edges from these blocks, and its values hold then too.
BlockStates values_in(const Code& code, const std::vector<std::size_t>& blocks, std::size_t entry,
                      bool again) {
    const ControlFlowGraph& graph = code.graph;
    BlockStates starts(graph.blocks.size());
    BlockStates ends(graph.blocks.size());
    const auto at_start = [&](std::size_t block) {
        std::optional<SymbolicRegisters> start;
        if (block == entry) start.emplace(code.lanes);
        if (block == entry && !again) return start;
        for (const std::size_t edge : graph.blocks[block].in) {
            const auto& before = ends[graph.edges[edge].from];
            if (!before) continue;
            if (start)
                start->join(*before, code.place(block, 0));
            else
                start = before;
        }
        return start;
    };
    // What holds inside a loop only ever becomes unknown, and outside loops a value follows from
    // those before it, so this ends.
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t block : blocks) {
            auto start = at_start(block);
            if (!start || starts[block] == start) continue;
            starts[block] = start;
            code.execute(block, *start);
            ends[block] = std::move(start);
            changed = true;
        }
    }
    return ends;
}

} // namespace

BlockStates values_in_run(const Function& function, const ControlFlowGraph& graph, Lanes lanes) {
    std::vector<std::size_t> all(graph.blocks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return values_in({function, graph, lanes, true}, all, 0, true);
}

BlockStates values_in_turn(const Function& function, const ControlFlowGraph& graph,
                           const assembly::Loop& loop, Lanes lanes) {
    return values_in({function, graph, lanes, false}, loop.blocks, loop.header, false);
}

std::optional<Decision> decision_of(const Function& function, const ControlFlowGraph& graph,
                                    const SymbolicRegisters& values, std::size_t block) {
    const Instruction& last = function.instructions[graph.blocks[block].last];
    const auto& out = graph.blocks[block].out;
    if (!last.guard || !last.guard->predicate.index) return std::nullopt;
    Decision decision;
    const bool one_target = last.modifiers.empty() && last.operands.size() == 1;
    if (last.control_flow == ControlFlow::Exit && out.size() == 1) {
        decision.otherwise = out.front();
    } else if (last.control_flow == ControlFlow::Branch && one_target && out.size() == 2 &&
               graph.edges[out[0]].kind != graph.edges[out[1]].kind) {
        const bool first = graph.edges[out[0]].kind == EdgeKind::Taken;
        decision.taken = first ? out[0] : out[1];
        decision.otherwise = first ? out[1] : out[0];
    } else {
        return std::nullopt;
    }
    const auto& guard = last.guard->predicate;
    const auto says = values.predicate({guard.file, *guard.index});
    if (!says) return std::nullopt;
    decision.when = guard.negated ? !*says : *says;
    return decision;
}

} // namespace warpbound::analyzer

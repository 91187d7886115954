#include "analyzer/value/block_states.hpp"

#include "analyzer/value/transfer_functions.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/support/stop_token.hpp"

#include <numeric>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::EdgeKind;
using assembly::Function;
using assembly::Instruction;

/// The function, and how it is analyzed.
struct AnalyzedCode {
    const Function& function;
    const ControlFlowGraph& graph;
    Convergence convergence;
    bool names = false; ///< Values computed outside loops get symbols of their own.

    [[nodiscard]] std::optional<ProgramPoint> point(std::size_t block, std::size_t offset) const {
        if (!names || graph.innermost_loop[block]) return std::nullopt;
        return ProgramPoint{block, offset};
    }

    void execute(std::size_t block, SymbolicRegisters& values) const {
        const auto& code = graph.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i)
            analyzer::execute(values, function.instructions[i], point(block, i - code.first + 1));
    }
};

/// States at the ends of `blocks` (in increasing order); `entry` begins with the initial registers.
/// `joins_at_entry`: the state of `entry` also covers its in-edges from `blocks`.
BlockStates fixed_point(const AnalyzedCode& code, const std::vector<std::size_t>& blocks,
                        std::size_t entry, bool joins_at_entry) {
    const ControlFlowGraph& graph = code.graph;
    BlockStates starts(graph.blocks.size());
    BlockStates ends(graph.blocks.size());
    const auto at_start = [&](std::size_t block) {
        std::optional<SymbolicRegisters> start;
        if (block == entry) start.emplace(code.convergence);
        if (block == entry && !joins_at_entry) return start;
        for (const std::size_t edge : graph.blocks[block].in) {
            const auto& before = ends[graph.edges[edge].from];
            if (!before) continue;
            if (start)
                start->join(*before, code.point(block, 0));
            else
                start = before;
        }
        return start;
    };
    // Termination: inside loops a value can only become unknown; outside loops it is a function of
    // the states of earlier blocks.
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t block : blocks) {
            check_stop("the value analysis");
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

BlockStates block_states_of_run(const Function& function, const ControlFlowGraph& graph,
                                Convergence convergence) {
    std::vector<std::size_t> all(graph.blocks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return fixed_point({function, graph, convergence, true}, all, 0, true);
}

BlockStates block_states_of_iteration(const Function& function, const ControlFlowGraph& graph,
                                      const assembly::Loop& loop, Convergence convergence) {
    return fixed_point({function, graph, convergence, false}, loop.blocks, loop.header, false);
}

std::optional<BranchDecision> decision_of(const Function& function, const ControlFlowGraph& graph,
                                          const SymbolicRegisters& values, std::size_t block) {
    const Instruction& last = function.instructions[graph.blocks[block].last];
    const auto& out = graph.blocks[block].out;
    const assembly::RegisterOperand* decides = assembly::deciding_operand(last);
    const bool by_guard = decides == nullptr;
    if (by_guard && last.guard) decides = &last.guard->predicate;
    if (decides == nullptr || !decides->index || (!by_guard && last.guard)) return std::nullopt;
    BranchDecision decision;
    if (last.control_flow == ControlFlow::Exit && out.size() == 1) {
        decision.otherwise = out.front();
    } else if ((!by_guard || assembly::is_decided_by_guard(last)) && out.size() == 2 &&
               graph.edges[out[0]].kind != graph.edges[out[1]].kind) {
        const bool first = graph.edges[out[0]].kind == EdgeKind::Taken;
        decision.taken = first ? out[0] : out[1];
        decision.otherwise = first ? out[1] : out[0];
    } else {
        return std::nullopt;
    }
    const auto predicate = values.predicate({decides->file, *decides->index});
    if (!predicate) return std::nullopt;
    decision.when = decides->negated ? !*predicate : *predicate;
    return decision;
}

} // namespace warpbound::analyzer

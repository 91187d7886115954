#include "analyzer/witness.hpp"

#include <map>

namespace warpbound::analyzer {

void describe_witness(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                      const StateGraph& states, const Pipeline& pipeline, const NodePath& path,
                      SideResult& result) {
    const auto times = [](std::int64_t a, std::int64_t b) {
        return (models::Cycles{a} * b).count();
    };
    std::map<std::size_t, BlockContribution> blocks;
    std::map<StackCategory, std::int64_t> stack;
    result.best_found = models::Cycles{path.cost};
    result.instruction_cycles.assign(function.instructions.size(), 0);
    result.instruction_counts.assign(function.instructions.size(), 0);
    for (const auto& [index, count] : path.counts) {
        const StateNode& node = states.nodes[index];
        const auto& block = graph.blocks[node.block];
        BlockContribution& contribution = blocks[node.block];
        contribution.block = node.block;
        contribution.count += count;
        contribution.cycles += times(node.cost, count);
        const auto steps = steps_of(block, node, pipeline);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const IssueStep& step = steps[i];
            result.instruction_cycles[block.first + i] += times(step.cycles, count);
            result.instruction_counts[block.first + i] += count;
            if (step.gap > 0) stack[step.gap_category] += times(step.gap, count);
            if (step.cycles > step.gap) stack[step.wait] += times(step.cycles - step.gap, count);
        }
    }
    // From the last EXIT to completion.
    const StateNode& last = states.nodes[path.last];
    const std::int64_t end = last.end_cost.value_or(0);
    blocks[last.block].cycles += end;
    result.instruction_cycles[graph.blocks[last.block].last] += end;
    stack[StackCategory::Completion] += end;
    result.blocks.clear();
    for (const auto& [block, contribution] : blocks)
        result.blocks.push_back(contribution);
    result.stack.assign(stack.begin(), stack.end());
    result.path.clear();
    for (const std::size_t node : path.sequence)
        result.path.push_back(states.nodes[node].block);
}

} // namespace warpbound::analyzer

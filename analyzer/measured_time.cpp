#include "analyzer/measured_time.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// An end of the program can be reached from `from` without executing `avoided`.
bool ends_without(const assembly::ControlFlowGraph& graph, const std::vector<bool>& never,
                  std::size_t from, std::size_t avoided) {
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<std::size_t> work;
    const auto visit = [&](std::size_t block) {
        if (block == avoided || seen[block] || never[block]) return;
        seen[block] = true;
        work.push_back(block);
    };
    visit(from);
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        if (graph.blocks[block].exits) return true;
        for (const std::size_t edge : graph.blocks[block].out)
            visit(graph.edges[edge].to);
    }
    return false;
}

} // namespace

RegionSearch find_clock_region(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph,
                               const std::vector<bool>& never) {
    std::vector<std::pair<std::size_t, std::size_t>> reads; // block, instruction
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
        for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i)
            if (function.instructions[i].opcode_class == assembly::OpcodeClass::ClockRead &&
                !never[block])
                reads.emplace_back(block, i);
    if (reads.empty()) return {};
    if (reads.size() != 2)
        return {std::nullopt, "the kernel does not read the clock exactly twice"};
    std::sort(reads.begin(), reads.end());
    const ClockRegion region{reads[0].first, reads[0].second, reads[1].first, reads[1].second};
    for (const auto& [block, instruction] : reads) {
        const auto& guard = function.instructions[instruction].guard;
        if (guard && !guard->always())
            return {std::nullopt, "a clock read is guarded by a predicate"};
        if (graph.innermost_loop[block]) return {std::nullopt, "a clock read stands in a loop"};
        if (ends_without(graph, never, 0, block))
            return {std::nullopt, "some path passes by a clock read"};
    }
    if (!graph.dominates(region.first_block, region.last_block))
        return {std::nullopt, "the order of the clock reads depends on the path"};
    return {region, {}};
}

std::optional<std::int64_t> region_cost(const assembly::ControlFlowGraph& graph,
                                        const StateGraph& states, const Pipeline& pipeline,
                                        const StructuralPaths& paths, const ClockRegion& region) {
    const bool upper = pipeline.side() == Side::Upper;
    std::optional<std::int64_t> best;
    const auto keep = [&](std::int64_t value) {
        if (!best) best = value;
        best = upper ? std::max(*best, value) : std::min(*best, value);
    };
    /// Cost of a node's instructions first .. last.
    const auto cost_of = [&](const StateNode& node, std::size_t first, std::size_t last) {
        const auto& block = graph.blocks[node.block];
        const auto steps = steps_of(block, node, pipeline);
        models::Cycles cost{0};
        for (std::size_t i = first; i <= last; ++i)
            cost += models::Cycles{steps[i - block.first].cycles};
        return cost.count();
    };
    std::map<std::size_t, std::int64_t> ends;
    if (region.first_block != region.last_block)
        for (std::size_t node = 0; node < states.nodes.size(); ++node)
            if (states.nodes[node].block == region.last_block)
                ends[node] =
                    cost_of(states.nodes[node], graph.blocks[region.last_block].first, region.last);
    for (std::size_t node = 0; node < states.nodes.size(); ++node) {
        if (states.nodes[node].block != region.first_block) continue;
        if (region.first_block == region.last_block) {
            keep(cost_of(states.nodes[node], region.first + 1, region.last));
            continue;
        }
        const auto& block = graph.blocks[region.first_block];
        const std::int64_t rest = region.first < block.last
                                      ? cost_of(states.nodes[node], region.first + 1, block.last)
                                      : 0;
        if (const auto cost = paths.between(node, rest, ends)) keep(*cost);
    }
    return best;
}

} // namespace warpbound::analyzer

#include "analyzer/microarchitecture/clock_region.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// An end of the program can be reached from `from` without executing `avoided`.
bool ends_without(const assembly::ControlFlowGraph& graph, const PerBlock<bool>& never,
                  BlockIndex from, BlockIndex avoided) {
    PerBlock<bool> seen(graph.blocks.size(), false);
    std::vector<BlockIndex> work;
    const auto visit = [&](BlockIndex block) {
        if (block == avoided || seen[block] || never[block]) return;
        seen[block] = true;
        work.push_back(block);
    };
    visit(from);
    while (!work.empty()) {
        const assembly::BasicBlock& code = block_at(graph, work.back());
        work.pop_back();
        if (code.exits) return true;
        for (const std::size_t edge : code.out)
            visit(to_block(graph.edges[edge]));
    }
    return false;
}

} // namespace

RegionSearch find_clock_region(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph,
                               const PerBlock<bool>& never) {
    std::vector<std::pair<BlockIndex, std::size_t>> reads; // block, instruction
    for (const BlockIndex block : all_blocks(graph))
        for (std::size_t i = block_at(graph, block).first; i <= block_at(graph, block).last; ++i)
            if (function.instructions[i].opcode_class == assembly::OpcodeClass::ClockRead &&
                !never[block])
                reads.emplace_back(block, i);
    if (reads.empty()) return {};
    if (reads.size() != 2)
        return {std::nullopt, "the kernel does not read the clock exactly twice"};
    std::sort(reads.begin(), reads.end());
    const ClockRegion region{reads[0].first, reads[0].second, reads[1].first, reads[1].second};
    for (const auto& [block, instruction] : reads) {
        if (assembly::is_guarded(function.instructions[instruction]))
            return {std::nullopt, "a clock read is guarded by a predicate"};
        if (innermost_loop_of(graph, block)) return {std::nullopt, "a clock read stands in a loop"};
        if (ends_without(graph, never, assembly::entry_block, block))
            return {std::nullopt, "some path avoids a clock read"};
    }
    if (!graph.dominates(region.first_block.value(), region.last_block.value()))
        return {std::nullopt, "the order of the clock reads depends on the path"};
    return {region, {}};
}

Span span_of(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
             const ClockRegion& region, PipelineState after_first) {
    Span span{region.first_block, region.first + 1, std::move(after_first),
              Span::Stop{region.last_block, region.last}, false};
    if (region.first < block_at(graph, region.first_block).last)
        pipeline.leave(span.state, region.first, false);
    return span;
}

PerBlock<bool> outside(const assembly::ControlFlowGraph& graph, const PerBlock<bool>& never,
                       const ClockRegion& region) {
    PerBlock<bool> outside(graph.blocks.size(), true);
    std::vector<BlockIndex> work{region.last_block};
    outside[region.last_block] = false;
    while (!work.empty()) {
        const BlockIndex block = work.back();
        work.pop_back();
        for (const std::size_t edge : block_at(graph, block).in) {
            const BlockIndex from = from_block(graph.edges[edge]);
            if (!outside[from] || never[from]) continue;
            outside[from] = false;
            work.push_back(from);
        }
    }
    return outside;
}

} // namespace warpbound::analyzer

#include "analyzer/microarchitecture/clock_region.hpp"

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
        if (assembly::is_guarded(function.instructions[instruction]))
            return {std::nullopt, "a clock read is guarded by a predicate"};
        if (graph.innermost_loop[block]) return {std::nullopt, "a clock read stands in a loop"};
        if (ends_without(graph, never, 0, block))
            return {std::nullopt, "some path avoids a clock read"};
    }
    if (!graph.dominates(region.first_block, region.last_block))
        return {std::nullopt, "the order of the clock reads depends on the path"};
    return {region, {}};
}

Span span_of(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
             const ClockRegion& region, PipelineState after_first) {
    Span span{region.first_block, region.first + 1, std::move(after_first),
              Span::Stop{region.last_block, region.last}, false};
    if (region.first < graph.blocks[region.first_block].last)
        pipeline.leave(span.state, region.first, false);
    return span;
}

std::vector<bool> outside(const assembly::ControlFlowGraph& graph, const std::vector<bool>& never,
                          const ClockRegion& region) {
    std::vector<bool> outside(graph.blocks.size(), true);
    std::vector<std::size_t> work{region.last_block};
    outside[region.last_block] = false;
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        for (const std::size_t edge : graph.blocks[block].in) {
            const std::size_t from = graph.edges[edge].from;
            if (!outside[from] || never[from]) continue;
            outside[from] = false;
            work.push_back(from);
        }
    }
    return outside;
}

} // namespace warpbound::analyzer

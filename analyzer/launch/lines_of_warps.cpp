#include "analyzer/launch/lines_of_warps.hpp"

#include "analyzer/flow/warp_executions.hpp"
#include "analyzer/launch/first_uses.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_warps = 32; ///< Each is executed twice.

/// The lines of blocks that some thread of the run comes to.
std::vector<std::int64_t> reached_lines(const assembly::Function& function,
                                        const assembly::ControlFlowGraph& graph,
                                        const AbstractRun& run, std::int64_t line) {
    std::vector<std::int64_t> lines;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        if (!run.reached[block]) continue;
        const std::int64_t last = function.instructions[graph.blocks[block].last].address / line;
        for (std::int64_t one = function.instructions[graph.blocks[block].first].address / line;
             one <= last; ++one)
            lines.push_back(one);
    }
    return lines;
}

/// The edges and ends of a run alone.
assembly::ControlFlowGraph flow_of(const assembly::ControlFlowGraph& graph,
                                   const AbstractRun& run) {
    assembly::ControlFlowGraph left = graph;
    const auto is_untaken = [&](std::size_t edge) { return !run.taken[edge]; };
    for (std::size_t block = 0; block < left.blocks.size(); ++block) {
        std::erase_if(left.blocks[block].out, is_untaken);
        std::erase_if(left.blocks[block].in, is_untaken);
        left.blocks[block].exits = left.blocks[block].exits && run.exits[block];
    }
    return left;
}

bool contains(const std::vector<std::int64_t>& lines, std::int64_t one) {
    return std::find(lines.begin(), lines.end(), one) != lines.end();
}

/// The lines that the warps of one scheduler may and are sure to execute.
struct LinesOfScheduler {
    std::vector<std::int64_t> possible;
    std::vector<std::int64_t> sure; ///< Of `avoided`.
};

} // namespace

std::int64_t lines_left_to_others(const Request& request, const LaunchGeometry& shape,
                                  std::int64_t line, const std::vector<std::int64_t>& avoided) {
    const auto all = static_cast<std::int64_t>(avoided.size());
    const std::int64_t warps = shape.warps_per_block.count();
    // C20: else a warp of a block is on other schedulers in other block slots.
    if (avoided.empty() || warps % shape.schedulers != 0 || warps > most_warps) return all;
    const std::int64_t warp_size =
        request.architecture->geometry.find("warp-size")->interval.value().hi;
    const auto ways =
        ways_by_warp(*request.function, *request.graph, *request.facts, request.launch, warp_size);
    if (ways.empty()) return all;
    std::vector<LinesOfScheduler> schedulers(static_cast<std::size_t>(shape.schedulers));
    for (std::size_t warp = 0; warp < ways.size(); ++warp) {
        LinesOfScheduler& lines = schedulers[warp % schedulers.size()];
        for (const std::int64_t one :
             reached_lines(*request.function, *request.graph, ways[warp].of_all, line))
            lines.possible.push_back(one);
        const auto left_out =
            avoidable_lines(*request.function, flow_of(*request.graph, ways[warp].of_first), line);
        for (const std::int64_t one : avoided)
            if (!contains(left_out, one)) lines.sure.push_back(one);
    }
    return std::count_if(avoided.begin(), avoided.end(), [&](std::int64_t one) {
        return std::any_of(schedulers.begin(), schedulers.end(), [&](const auto& lines) {
            return contains(lines.possible, one) && !contains(lines.sure, one);
        });
    });
}

} // namespace warpbound::analyzer

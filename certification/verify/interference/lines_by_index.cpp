#include "certification/verify/interference/lines_by_index.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "certification/verify/divergence/node_executions.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "certification/verify/flow/warp_execution.hpp"
#include "certification/verify/interference/line_order.hpp"
#include "certification/verify/machine_values.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using Lines = std::set<std::int64_t>;

/// The ways of some threads through the code, and the lines on them.
class LinesOfWays {
public:
    LinesOfWays(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                PossibleWays ways, std::int64_t bytes)
        : function_{function}, graph_{graph}, ways_{std::move(ways)}, bytes_{bytes} {}

    [[nodiscard]] bool some_comes_to(std::int64_t line) const { return walk(line).comes_to_line; }
    /// Whether no way ends without the line.
    [[nodiscard]] bool all_come_to(std::int64_t line) const { return !walk(line).ends_before; }

private:
    struct Walked {
        bool comes_to_line = false;
        bool ends_before = false;
    };

    [[nodiscard]] bool has(std::size_t block, std::int64_t line) const {
        const auto line_of = [&](std::size_t i) {
            return function_.instructions[i].address / bytes_;
        };
        return line_of(graph_.blocks[block].first) <= line &&
               line <= line_of(graph_.blocks[block].last);
    }
    /// Along all ways, up to the line.
    [[nodiscard]] Walked walk(std::int64_t line) const {
        Walked walked;
        std::set<std::size_t> met{0};
        std::vector<std::size_t> open{0};
        while (!open.empty()) {
            const std::size_t block = open.back();
            open.pop_back();
            if (has(block, line)) {
                walked.comes_to_line = true;
                continue;
            }
            bool goes_on = false;
            for (const std::size_t edge : graph_.blocks[block].out) {
                if (!ways_.edges[edge]) continue;
                goes_on = true;
                const std::size_t to = graph_.edges[edge].to;
                if (met.insert(to).second) open.push_back(to);
            }
            if (ways_.ends[block] || !goes_on) walked.ends_before = true;
        }
        return walked;
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    PossibleWays ways_;
    std::int64_t bytes_;
};

/// The warps of a block, and what they are known to execute of some lines.
class WarpsByIndex {
public:
    WarpsByIndex(const TimedCode& code, const std::array<std::int64_t, 3>& extents,
                 std::int64_t bytes)
        : kernel_{code.kernel}, extents_{extents}, bytes_{bytes}, graph_{graph_of(kernel_)},
          execution_{*kernel_.function, graph_, kernel_.launch,
                     written_by_some_lanes(kernel_, code.lower_flow)},
          size_{exact_number(kernel_, kernel_.architecture.geometry, "geometry", "warp-size")} {}

    /// Any thread of the warp, in any block.
    [[nodiscard]] LinesOfWays of_all(std::int64_t warp) const {
        const std::int64_t last = std::min((warp + 1) * size_, kernel_.launch.threads) - 1;
        return lines_of(indices_between(warp * size_, last, extents_));
    }
    /// Its first thread alone, in any block.
    [[nodiscard]] LinesOfWays of_first(std::int64_t warp) const {
        ThreadIndices one = indices_between(warp * size_, warp * size_, extents_);
        one.is_one_thread = one.is_in_any_block = true;
        return lines_of(one);
    }

private:
    static assembly::ControlFlowGraph graph_of(const KernelCase& kernel) {
        auto graph = assembly::build_control_flow_graph(*kernel.function);
        if (!graph) incomplete(kernel.id + ": " + to_string(graph.error()));
        return std::move(graph).value();
    }
    [[nodiscard]] LinesOfWays lines_of(const ThreadIndices& threads) const {
        return {*kernel_.function, graph_, execution_.ways(threads), bytes_};
    }

    const KernelCase& kernel_;
    std::array<std::int64_t, 3> extents_;
    std::int64_t bytes_;
    assembly::ControlFlowGraph graph_;
    WarpExecution execution_;
    std::int64_t size_; ///< Threads of a warp.
};

} // namespace

std::int64_t lines_left_out_by_index(const TimedCode& code, std::int64_t bytes) {
    constexpr std::int64_t most_warps = 32; // Each is executed twice.
    const Lines left_out = line_numbers_left_out(code, bytes);
    const auto all = static_cast<std::int64_t>(left_out.size());
    const std::int64_t warps = code.geometry.warps_per_block;
    const std::int64_t schedulers = code.geometry.schedulers;
    const auto extents = extents_of_blocks(*code.kernel.function, code.kernel.launch);
    // C20: else a warp is on another scheduler in the next block slot.
    if (all == 0 || warps % schedulers != 0 || warps > most_warps || !extents ||
        is_amd(code.kernel.function->target) || has_simulated_runs(code.kernel))
        return all;
    const WarpsByIndex of_block{code, *extents, bytes};
    Lines open; // Some scheduler may look it up first after the block has ended.
    for (std::int64_t scheduler = 0; scheduler < schedulers; ++scheduler) {
        Lines possible;
        Lines sure;
        for (std::int64_t warp = scheduler; warp < warps; warp += schedulers) {
            const LinesOfWays some = of_block.of_all(warp);
            const LinesOfWays one = of_block.of_first(warp);
            for (const std::int64_t line : left_out) {
                if (some.some_comes_to(line)) possible.insert(line);
                if (one.all_come_to(line)) sure.insert(line);
            }
        }
        std::set_difference(possible.begin(), possible.end(), sure.begin(), sure.end(),
                            std::inserter(open, open.end()));
    }
    return static_cast<std::int64_t>(open.size());
}

} // namespace warpbound::certification::verify

#include "analyzer/launch/single_path.hpp"

#include <algorithm>
#include <iterator>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t longest_path_of_lanes = std::size_t{1} << 20U; ///< Instructions.

/// Under a guard some lanes may do so and others not.
bool acts_on_a_point(assembly::ControlFlow flow) {
    using enum assembly::ControlFlow;
    return flow != None && flow != Exit &&
           (!assembly::transfers_control(flow) || flow == ConvergenceWait);
}

/// Per block: an EXIT follows over blocks that the facts allow, its own or a later one.
std::vector<bool> blocks_that_end(const assembly::ControlFlowGraph& graph,
                                  const ResolvedFacts& facts) {
    std::vector<bool> ends(graph.blocks.size(), false);
    std::vector<std::size_t> work;
    const auto add = [&](std::size_t block) {
        if (ends[block] || facts.never[assembly::BlockIndex{block}]) return;
        ends[block] = true;
        work.push_back(block);
    };
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
        if (graph.blocks[block].exits) add(block);
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        for (const std::size_t edge : graph.blocks[block].in)
            add(graph.edges[edge].from);
    }
    return ends;
}

class SinglePathWalk {
public:
    explicit SinglePathWalk(const TimedKernel& kernel)
        : graph_{*kernel.graph}, facts_{kernel.facts}, ends_{blocks_that_end(graph_, facts_)},
          iterations_(graph_.loops.size(), 0) {}

    std::optional<std::vector<PathStep>> steps(std::size_t longest, FurtherPaths further) {
        std::vector<PathStep> steps;
        std::size_t block = 0;
        while (true) {
            const auto& code = graph_.blocks[block];
            if (steps.size() + (code.last - code.first) >= longest) return std::nullopt;
            for (std::size_t i = code.first; i <= code.last; ++i)
                steps.push_back({i, false});
            const std::vector<std::size_t> allowed_edges = allowed(code.out);
            if (allowed_edges.empty() && code.exits && !graph_.innermost_loop[block]) return steps;
            if (allowed_edges.empty() || (code.exits && further == FurtherPaths::None))
                return std::nullopt;
            const auto edge_taken = allowed_edges.size() == 1 ? allowed_edges.front()
                                                              : by_loop_bound(allowed_edges, block);
            if (!edge_taken || !take(*edge_taken)) return std::nullopt;
            const assembly::Edge& edge = graph_.edges[*edge_taken];
            steps.back().transferred = edge.kind == assembly::EdgeKind::Taken;
            block = edge.to;
        }
    }

private:
    [[nodiscard]] std::vector<std::size_t> allowed(const std::vector<std::size_t>& edges) const {
        std::vector<std::size_t> allowed_edges;
        std::copy_if(edges.begin(), edges.end(), std::back_inserter(allowed_edges),
                     [&](std::size_t edge) { return ends_[graph_.edges[edge].to]; });
        return allowed_edges;
    }

    [[nodiscard]] bool contains(std::size_t loop, std::size_t block) const {
        const auto& blocks = graph_.loops[loop].blocks;
        return std::binary_search(blocks.begin(), blocks.end(), block);
    }

    /// A loop with one exit is left after its last iteration, and not before.
    [[nodiscard]] std::optional<std::size_t>
    by_loop_bound(const std::vector<std::size_t>& allowed_edges, std::size_t block) const {
        const auto loop = graph_.innermost_loop[block];
        if (!loop || allowed_edges.size() != 2) return std::nullopt;
        const bool first_continues = contains(*loop, graph_.edges[allowed_edges.front()].to);
        const bool second_continues = contains(*loop, graph_.edges[allowed_edges.back()].to);
        if (first_continues == second_continues ||
            allowed(graph_.loops[*loop].exit_edges).size() != 1)
            return std::nullopt;
        const bool continues = iterations_[*loop] < facts_.loops[*loop].max;
        return continues == first_continues ? allowed_edges.front() : allowed_edges.back();
    }

    /// Counts iterations; false when an edge violates the loop bounds.
    bool take(std::size_t edge) {
        const std::size_t from = graph_.edges[edge].from;
        const std::size_t to = graph_.edges[edge].to;
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
            const BackEdgeBounds& bounds = facts_.loops[loop];
            if (contains(loop, from) && !contains(loop, to)) {
                if (bounds.min != bounds.max || iterations_[loop] != bounds.max) return false;
            } else if (graph_.loops[loop].header == to) {
                iterations_[loop] = contains(loop, from) ? iterations_[loop] + 1 : 0;
                if (iterations_[loop] > bounds.max) return false;
            }
        }
        return true;
    }

    const assembly::ControlFlowGraph& graph_;
    const ResolvedFacts& facts_;
    std::vector<bool> ends_;               ///< Per block.
    std::vector<std::int64_t> iterations_; ///< Back edges taken since the loop was entered.
};

} // namespace

std::optional<std::vector<PathStep>> single_path(const TimedKernel& kernel, std::size_t longest,
                                                 FurtherPaths further) {
    return SinglePathWalk{kernel}.steps(longest, further);
}

bool lanes_share_one_path(const TimedKernel& kernel) {
    const auto path = single_path(kernel, longest_path_of_lanes, FurtherPaths::EarlyExits);
    const auto& text = kernel.function->instructions;
    return path && std::none_of(path->begin(), path->end(), [&](const PathStep& step) {
               return assembly::is_guarded(text[step.instruction]) &&
                      acts_on_a_point(text[step.instruction].control_flow);
           });
}

} // namespace warpbound::analyzer

#include "models/formulas/execution_graph.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace warpbound::models::volkov {
namespace {

constexpr std::int64_t longest = std::int64_t{1} << 40; // Cycles of one edge.

std::optional<Failure> objection(std::span<const Executed> instructions, const OrderCosts& costs) {
    InputCheck check{"volkov"};
    check.require(!instructions.empty(), "no instructions")
        .count("issue gap", costs.issue_gap.count(), 0, longest)
        .count("taken branch", costs.branch_taken.count(), 0, longest)
        .count("branch not taken", costs.branch_not_taken.count(), 0, longest)
        .count("block replacement", costs.block_replacement.count(), 0, longest)
        .require(instructions.empty() || !instructions.front().dual_issued,
                 "the first instruction is dual-issued with none");
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        check.count("latency of an instruction", instructions[k].latency.count(), 0, longest);
        for (const std::size_t producer : instructions[k].producers)
            if (producer >= k)
                check.require(false, fmt::format("instruction {} reads the result of {}, which is "
                                                 "not earlier",
                                                 k, producer));
    }
    return check.failure();
}

/// Between an instruction and the next one of the warp.
Cycles order_latency(const Executed& instruction, bool next_is_dual_issued,
                     const OrderCosts& costs) {
    switch (instruction.branch) {
    case Branch::Taken:
        return costs.branch_taken;
    case Branch::NotTaken:
        return costs.branch_not_taken;
    case Branch::None:
        break;
    }
    return next_is_dual_issued ? Cycles{} : costs.issue_gap;
}

} // namespace

Result<ExecutionGraph> graph_of(std::span<const Executed> instructions, const OrderCosts& costs) {
    if (const auto wrong = objection(instructions, costs)) return *wrong;
    ExecutionGraph graph{.nodes = instructions.size() + 1, .edges = {}};
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        const Executed& instruction = instructions[k];
        if (k > 0)
            graph.edges.push_back(
                {k - 1, k, order_latency(instructions[k - 1], instruction.dual_issued, costs)});
        for (const std::size_t producer : instruction.producers)
            graph.edges.push_back({producer, k, instructions[producer].latency});
    }
    graph.edges.push_back({instructions.size() - 1, instructions.size(), costs.block_replacement});
    return graph;
}

Result<CriticalPath> critical_path(const ExecutionGraph& graph) {
    InputCheck check{"volkov"};
    check.require(graph.nodes > 0, "an execution graph without nodes");
    for (const auto& edge : graph.edges) {
        check.count("latency of an edge", edge.latency.count(), 0, longest);
        if (edge.from >= edge.to || edge.to >= graph.nodes)
            check.require(false, fmt::format("an edge from {} to {} among {} nodes", edge.from,
                                             edge.to, graph.nodes));
    }
    if (check.failure()) return *check.failure();

    // Edges lead forward, so by target every start is final before it is used.
    std::vector<Edge> edges = graph.edges;
    std::ranges::stable_sort(edges, {}, &Edge::to);
    std::vector<Cycles> start(graph.nodes);
    std::vector<std::optional<std::size_t>> before(graph.nodes);
    for (const auto& edge : edges) {
        const Cycles time = start[edge.from] + edge.latency;
        if (time > start[edge.to] || !before[edge.to]) {
            start[edge.to] = time;
            before[edge.to] = edge.from;
        }
    }
    CriticalPath path{.length = Estimate<Cycles>{real(start.back().count())}, .nodes = {}};
    for (std::optional<std::size_t> node = graph.nodes - 1; node; node = before[*node])
        path.nodes.push_back(*node);
    std::ranges::reverse(path.nodes);
    return path;
}

} // namespace warpbound::models::volkov

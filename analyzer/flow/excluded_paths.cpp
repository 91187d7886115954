#include "analyzer/flow/excluded_paths.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

/// Addresses of the blocks that are executed in some call context.
std::set<std::int64_t> reached_addresses(const ControlFlowGraph& graph, const AbstractRun& run) {
    std::set<std::int64_t> reached;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
        if (run.reached[block]) reached.insert(graph.blocks[block].address);
    return reached;
}

/// Addresses of the blocks that are in the graph once.
std::set<std::int64_t> addresses_of_one_context(const ControlFlowGraph& graph) {
    std::map<std::int64_t, int> contexts;
    for (const auto& block : graph.blocks)
        ++contexts[block.address];
    std::set<std::int64_t> alone;
    for (const auto& [address, count] : contexts)
        if (count == 1) alone.insert(address);
    return alone;
}

/// Whether a thread may go from the block to code at the address, over any edge.
bool goes_to(const ControlFlowGraph& graph, const AbstractRun& run, std::size_t from,
             std::int64_t address) {
    const auto& out = graph.blocks[from].out;
    return std::any_of(out.begin(), out.end(), [&](std::size_t edge) {
        return run.taken[edge] && graph.blocks[graph.edges[edge].to].address == address;
    });
}

/// Adds the fact, unless one says as much.
void add_constraint(models::LinearFact fact, models::FlowFacts& facts) {
    const auto says_as_much = [&](const models::LinearFact& one) {
        return one.terms == fact.terms && one.relation == fact.relation &&
               (fact.relation == models::Relation::AtLeast ? one.constant >= fact.constant
                                                           : one.constant <= fact.constant);
    };
    if (std::none_of(facts.constraints.begin(), facts.constraints.end(), says_as_much))
        facts.constraints.push_back(std::move(fact));
}

} // namespace

void add_never_executed(const ControlFlowGraph& graph, const AbstractRun& run,
                        const models::FactSource& source, models::FlowFacts& facts) {
    const std::set<std::int64_t> reached = reached_addresses(graph, run);
    std::set<std::int64_t> never;
    for (const auto& block : graph.blocks)
        if (reached.count(block.address) == 0) never.insert(block.address);
    for (const std::int64_t address : never)
        if (!facts.is_never(address)) facts.nevers.push_back({address, source});
}

void add_never_taken(const ControlFlowGraph& graph, const AbstractRun& run,
                     const models::FactSource& source, models::FlowFacts& facts) {
    const std::set<std::int64_t> alone = addresses_of_one_context(graph);
    const std::set<std::int64_t> reached = reached_addresses(graph, run);
    for (const auto& edge : graph.edges) {
        const std::int64_t from = graph.blocks[edge.from].address;
        const std::int64_t to = graph.blocks[edge.to].address;
        if (!run.reached[edge.from] || reached.count(to) == 0 || alone.count(from) == 0 ||
            goes_to(graph, run, edge.from, to))
            continue;
        models::LinearFact fact;
        fact.terms = {{1, from, to}};
        fact.from = source;
        add_constraint(std::move(fact), facts);
    }
}

void add_never_ending(const ControlFlowGraph& graph, const AbstractRun& run,
                      const models::FactSource& source, models::FlowFacts& facts) {
    const std::set<std::int64_t> alone = addresses_of_one_context(graph);
    for (std::size_t number = 0; number < graph.blocks.size(); ++number) {
        const assembly::BasicBlock& block = graph.blocks[number];
        if (!block.exits || block.out.size() != 1 || !run.reached[number] || run.exits[number] ||
            alone.count(block.address) == 0)
            continue;
        const std::int64_t next = graph.blocks[graph.edges[block.out.front()].to].address;
        models::LinearFact fact;
        fact.terms = {{1, block.address, next}, {-1, std::nullopt, block.address}};
        fact.relation = models::Relation::AtLeast;
        fact.from = source;
        add_constraint(std::move(fact), facts);
    }
}

} // namespace warpbound::analyzer

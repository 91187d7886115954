#include "analyzer/flow/flow_facts.hpp"

#include "assembly/isa/source_places.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace warpbound::analyzer {

namespace {

using models::refused;

bool has_edge(const assembly::ControlFlowGraph& graph, std::int64_t from, std::int64_t to) {
    return std::any_of(graph.edges.begin(), graph.edges.end(), [&](const assembly::Edge& edge) {
        return graph.blocks[edge.from].address == from && graph.blocks[edge.to].address == to;
    });
}

/// The header of a loop, with the source line of the branch that repeats it.
std::string loop_place(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                       std::size_t number) {
    const assembly::Loop& loop = graph.loops[number];
    const std::size_t latch = graph.edges[loop.back_edges.front()].from;
    const std::string source =
        assembly::source_of(function, function.instructions[graph.blocks[latch].last]);
    return fmt::format("0x{:04x}{}", graph.blocks[loop.header].address,
                       source.empty() ? "" : fmt::format(" ({})", source));
}

/// Bounds of a loop's back edges per entry, from the stated and the derived loop bound; a stated
/// bound is tightened by the derived one only with `tighten`.
Result<BackEdgeBounds> back_edge_bounds(const models::FlowFacts& facts,
                                        const models::LoopFact* fact,
                                        const std::optional<DerivedLoop>& derived, bool tighten) {
    if (fact == nullptr && !derived) return BackEdgeBounds{};
    std::int64_t min = 1;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    if (fact != nullptr) {
        min = std::max<std::int64_t>(fact->min, 1);
        max = std::max<std::int64_t>(fact->max, 1);
    }
    if (derived) {
        if (fact != nullptr && (max < derived->min || min > derived->max))
            return refused(facts, fact->from,
                           fmt::format("the header at 0x{:04x} is stated to execute {}..{} times, "
                                       "but {}..{} follow from the code: {}",
                                       fact->header, fact->min, fact->max, derived->min,
                                       derived->max, derived->reason));
        if (fact == nullptr || tighten) {
            min = std::max(min, derived->min);
            max = std::min(max, derived->max);
        }
    }
    return BackEdgeBounds{min - 1, max - 1};
}

/// The derived facts that are not among the stated ones, or are stronger than those.
std::vector<DerivedPathFact> not_stated(const models::FlowFacts& facts,
                                        std::vector<DerivedPathFact> derived) {
    const auto is_stated = [&](const DerivedPathFact& path_fact) {
        if (const auto* never = std::get_if<models::NeverFact>(&path_fact.fact))
            return facts.is_never(never->block);
        if (const auto* pair = std::get_if<models::ExclusiveFact>(&path_fact.fact))
            return std::any_of(facts.exclusives.begin(), facts.exclusives.end(),
                               [&](const models::ExclusiveFact& stated) {
                                   return std::minmax(stated.first, stated.second) ==
                                          std::minmax(pair->first, pair->second);
                               });
        const auto& linear = std::get<models::LinearFact>(path_fact.fact);
        return std::any_of(facts.constraints.begin(), facts.constraints.end(),
                           [&](const models::LinearFact& stated) {
                               const bool implies = linear.relation == models::Relation::AtLeast
                                                        ? stated.constant >= linear.constant
                                                        : stated.constant <= linear.constant;
                               return stated.terms == linear.terms &&
                                      stated.relation == linear.relation && implies;
                           });
    };
    derived.erase(std::remove_if(derived.begin(), derived.end(), is_stated), derived.end());
    return derived;
}

Result<void> check_representatives(const assembly::Function& function,
                                   const assembly::ControlFlowGraph& graph,
                                   const models::FlowFacts& facts) {
    if (!facts.representative) return boost::outcome_v2::success();
    for (const auto& [from, to] : facts.representative->edges)
        if (!has_edge(graph, from, to))
            return refused(facts, facts.representative->from,
                           fmt::format("no edge of {} leads from 0x{:04x} to 0x{:04x}",
                                       function.name, from, to));
    for (const std::int64_t address : facts.representative->ends)
        if (std::none_of(graph.blocks.begin(), graph.blocks.end(), [&](const auto& block) {
                return block.address == address && block.exits && !block.out.empty();
            }))
            return refused(facts, facts.representative->from,
                           fmt::format("no block of {} at 0x{:04x} ends at an EXIT with a guard",
                                       function.name, address));
    return boost::outcome_v2::success();
}

} // namespace

std::vector<assembly::BlockIndex> blocks_at(const assembly::ControlFlowGraph& graph,
                                            std::int64_t address) {
    std::vector<assembly::BlockIndex> blocks;
    for (const assembly::BlockIndex block : all_blocks(graph))
        if (block_at(graph, block).address == address) blocks.push_back(block);
    return blocks;
}

bool executes_at_most_once(const assembly::ControlFlowGraph& graph, std::int64_t address) {
    const auto blocks = blocks_at(graph, address);
    return blocks.size() == 1 && !innermost_loop_of(graph, blocks.front());
}

Result<ResolvedFacts> resolve_facts(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const models::FlowFacts& facts,
                                    const std::optional<models::Launch>& follow_branches_in) {
    const Convergence convergence =
        has_divergent_branch(function, facts) ? Convergence::MayDiverge : Convergence::Converged;
    ResolvedFacts resolved;
    resolved.in_use = facts;
    // Conditions of AMD's branches are not followed.
    if (follow_branches_in && !is_amd(function.target)) {
        auto derived = unless_stopped([&] {
            return infeasible_paths_with_arguments(function, graph, *follow_branches_in,
                                                   convergence);
        });
        if (derived) resolved.infeasible_paths = not_stated(facts, std::move(*derived));
        append(resolved.in_use, resolved.infeasible_paths);
    }
    resolved.never.assign(graph.blocks.size(), false);
    std::set<std::int64_t> block_addresses;
    for (const auto& block : graph.blocks)
        block_addresses.insert(block.address);
    const auto check_block = [&](std::int64_t address,
                                 const models::FactSource& from) -> Result<void> {
        if (from.status == models::FactStatus::Refuted)
            return refused(facts, from, "a refuted fact cannot be used");
        if (block_addresses.count(address) == 0)
            return refused(
                facts, from,
                fmt::format("no block of {} begins at 0x{:04x}", function.name, address));
        return boost::outcome_v2::success();
    };
    for (const auto& fact : facts.nevers) {
        if (auto checked = check_block(fact.block, fact.from); !checked)
            return checked.as_failure();
        for (const assembly::BlockIndex block : blocks_at(graph, fact.block))
            resolved.never[block] = true;
        if (resolved.never[assembly::entry_block])
            return refused(facts, fact.from,
                           "the entry of the kernel is stated never to be executed");
    }
    for (const auto& derived : resolved.infeasible_paths)
        if (const auto* never = std::get_if<models::NeverFact>(&derived.fact))
            for (const assembly::BlockIndex block : blocks_at(graph, never->block))
                resolved.never[block] = true;
    for (const auto& fact : facts.exclusives) {
        if (fact.first == fact.second)
            return refused(facts, fact.from,
                           fmt::format("block 0x{:04x} is stated to exclude itself; expected two "
                                       "blocks, or <never>",
                                       fact.first));
        for (const auto address : {fact.first, fact.second})
            if (auto checked = check_block(address, fact.from); !checked)
                return checked.as_failure();
    }
    for (const auto& fact : facts.constraints)
        for (const auto& term : fact.terms) {
            if (auto checked = check_block(term.block, fact.from); !checked)
                return checked.as_failure();
            if (term.from)
                if (auto checked = check_block(*term.from, fact.from); !checked)
                    return checked.as_failure();
            if (term.from && !has_edge(graph, *term.from, term.block))
                return refused(facts, fact.from,
                               fmt::format("no edge of {} leads from 0x{:04x} to 0x{:04x}",
                                           function.name, *term.from, term.block));
        }
    if (auto checked = check_representatives(function, graph, facts); !checked)
        return checked.as_failure();
    for (const auto& fact : facts.memory)
        if (!function.index_of(fact.at))
            return refused(facts, fact.from,
                           fmt::format("no instruction of {} has the address 0x{:04x}",
                                       function.name, fact.at));
    std::set<std::int64_t> headers;
    for (const auto& loop : graph.loops)
        headers.insert(graph.blocks[loop.header].address);
    for (const auto& fact : facts.loops) {
        if (auto checked = check_block(fact.header, fact.from); !checked)
            return checked.as_failure();
        if (headers.count(fact.header) == 0)
            return refused(facts, fact.from,
                           fmt::format("no loop of {} has its header at 0x{:04x}", function.name,
                                       fact.header));
    }
    std::string unbounded;
    resolved.derived = derive_loops(function, graph, convergence);
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        const assembly::BlockIndex header = header_block(graph.loops[loop]);
        const std::int64_t address = block_at(graph, header).address;
        const models::LoopFact* fact = facts.loop_at(address);
        const std::optional<DerivedLoop>& derived = resolved.derived[loop];
        if (fact == nullptr && !derived && !resolved.never[header])
            unbounded += (unbounded.empty() ? "" : ", ") + loop_place(function, graph, loop);
        // The header executes once per entry and once per back edge; max 0 means that it never
        // executes.
        if (fact != nullptr && fact->max == 0) {
            if (header == assembly::entry_block)
                return refused(facts, fact->from,
                               "the entry of the kernel is stated never to be executed");
            resolved.never[header] = true;
        }
        const auto bounds =
            back_edge_bounds(facts, fact, resolved.never[header] ? std::nullopt : derived,
                             follow_branches_in.has_value());
        if (!bounds) return bounds.as_failure();
        resolved.loops.push_back(bounds.value());
    }
    if (!unbounded.empty())
        return Failure{
            fmt::format(
                "no bound for the loop with header {} of {}; state it as <loop "
                "header=\"..\" min=\"..\" "
                "max=\"..\"/> in the flow facts (`warpbound flow-facts` prints a template){}",
                unbounded, function.name,
                function.source_lines.frames.empty()
                    ? ""
                    : ", or as a comment `// warpbound: loop max N` on the loop's source "
                      "line or the line before it"),
            facts.name};
    resolved.barriers = models::barrier_rule(function, graph, resolved.in_use);
    return resolved;
}

bool has_further_facts(const models::FlowFacts& facts) {
    return !facts.exclusives.empty() || !facts.constraints.empty();
}

} // namespace warpbound::analyzer

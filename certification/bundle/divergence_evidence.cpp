#include "certification/bundle/divergence_evidence.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace warpbound::certification {

namespace {

/// What `verify` reads of the control flow.
verify::KernelCase control_flow_of(const std::string& id, const LoadedInput& input,
                                   const analyzer::SerializedCfg& cfg) {
    verify::KernelCase read;
    read.id = id;
    read.function = input.function;
    read.facts = input.facts;
    read.architecture = input.architecture;
    read.launch = input.launch;
    read.policy = input.policy;
    read.multiprocessors = input.multiprocessors;
    const auto successors_of = [](const assembly::ControlFlowGraph& graph, std::size_t block) {
        std::vector<std::size_t> successors;
        for (const std::size_t edge : graph.blocks[block].out)
            successors.push_back(graph.edges[edge].to);
        return successors;
    };
    for (std::size_t block = 0; block < input.graph.blocks.size(); ++block) {
        const auto& row = input.graph.blocks[block];
        read.blocks.push_back({input.function->instructions[row.first].address,
                               input.function->instructions[row.last].address, row.exits,
                               successors_of(input.graph, block)});
    }
    for (const analyzer::SerializedNode node : cfg.original.indices())
        read.serialized.push_back({cfg.original[node].value(),
                                   successors_of(cfg.graph, node.value()),
                                   static_cast<bool>(cfg.converged[node]),
                                   cfg.repeated[node],
                                   {}});
    return read;
}

const char* name_of(verify::SimtStack::Kind kind) {
    using Kind = verify::SimtStack::Kind;
    switch (kind) {
    case Kind::Pending:
        return "pending";
    case Kind::Released:
        return "released";
    case Kind::Explicit:
        return "point";
    case Kind::PostDominator:
        break;
    }
    return "post-dominator";
}

/// Places of points in the stack.
Json places_of(const std::set<verify::SimtStack::Point>& points, const verify::SimtStack& stack) {
    Json places = Json::array();
    const auto& entries = stack.entries();
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (points.count({entries[i].kind, entries[i].origin}) != 0) places.push_back(i);
    return places;
}

Json entry_json(const verify::SimtStack::Entry& entry, const verify::SimtStack& stack) {
    Json row{{"kind", name_of(entry.kind)}, {"origin", entry.origin}};
    if (entry.resume != verify::SimtStack::none) row["resume"] = entry.resume;
    if (!entry.left.empty()) row["left"] = places_of(entry.left, stack);
    Json flags = Json::array();
    if (entry.optional) flags.push_back("optional");
    if (entry.one_or_more) flags.push_back("one-or-more");
    if (entry.interleaved) flags.push_back("interleaved");
    if (entry.simultaneous) flags.push_back("simultaneous");
    if (!flags.empty()) row["flags"] = std::move(flags);
    return row;
}

} // namespace

Result<NodeStacks> find_stacks(const std::string& id, const LoadedInput& input,
                               const analyzer::SerializedCfg& cfg) {
    verify::KernelCase read = control_flow_of(id, input, cfg);
    try {
        return node_stacks(read, cfg);
    } catch (const verify::Finding& finding) {
        return Failure{
            fmt::format("the evidence is not written because verify would refuse its control flow: "
                        "{}",
                        finding.what())};
    }
}

Json serialized_cfg_json(const LoadedInput& input, const analyzer::SerializedCfg& cfg,
                         const NodeStacks& stacks) {
    Json nodes = Json::array();
    const auto rows = control_flow_of({}, input, cfg).serialized;
    for (std::size_t node = 0; node < rows.size(); ++node) {
        nodes.push_back({{"of", rows[node].of},
                         {"successors", rows[node].successors},
                         {"converged", rows[node].converged},
                         {"stacks", stacks.of_node[node]}});
        if (rows[node].repeated) nodes.back()["repeated"] = *rows[node].repeated;
    }
    return nodes;
}

Json simt_stacks_json(const std::vector<verify::SimtStack>& stacks) {
    Json table = Json::array();
    for (const verify::SimtStack& stack : stacks) {
        Json entries = Json::array();
        for (const auto& entry : stack.entries())
            entries.push_back(entry_json(entry, stack));
        table.push_back({{"entries", std::move(entries)}});
        if (!stack.left().empty()) table.back()["left"] = places_of(stack.left(), stack);
    }
    return table;
}

} // namespace warpbound::certification

#include "analyzer/analysis.hpp"
#include "analyzer/semantics/branch_facts.hpp"
#include "analyzer/semantics/loop_counts.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace warpbound::analyzer {

namespace {

/// Uniform registers are followed.
constexpr std::string_view where_none_part = "from the code, where lanes of a warp never part";

/// Text inside an XML comment or attribute.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '-' && !out.empty() && out.back() == '-')
            out += " -";
        else
            out += c;
    }
    return out;
}

/// What follows from the code for the loops with their header at the address, in all call contexts.
std::optional<DerivedLoop>
bound_in_every_context(const assembly::ControlFlowGraph& graph,
                       const std::vector<std::optional<DerivedLoop>>& derived,
                       std::int64_t address) {
    std::optional<DerivedLoop> bound;
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        if (graph.blocks[graph.loops[loop].header].address != address) continue;
        if (!derived[loop]) return std::nullopt;
        if (!bound) bound = derived[loop];
        bound->min = std::min(bound->min, derived[loop]->min);
        bound->max = std::max(bound->max, derived[loop]->max);
    }
    return bound;
}

/// Every loop, with what follows of it from the code.
std::string loop_lines(const assembly::Function& function,
                       const assembly::ControlFlowGraph& graph) {
    const auto derived = derive_loops(function, graph, Lanes::MayPart);
    const auto of_uniform = derive_loops(function, graph, Lanes::Together);
    std::string out;
    std::set<std::int64_t> seen;
    for (const auto& loop : graph.loops) {
        const auto& header = graph.blocks[loop.header];
        if (!seen.insert(header.address).second) continue;
        const std::string indent(static_cast<std::size_t>(2 * loop.depth), ' ');
        out += fmt::format("{0}<!-- loop at depth {1}, {2} blocks, begins: {3} -->\n", indent,
                           loop.depth, loop.blocks.size(),
                           escaped(assembly::print(function.instructions[header.first])));
        if (const auto bound = bound_in_every_context(graph, derived, header.address)) {
            out += fmt::format("{0}<!-- from the code: {1} -->\n"
                               "{0}<loop header=\"0x{2:04x}\" min=\"{3}\" max=\"{4}\" "
                               "origin=\"static\" status=\"proved\"/>\n",
                               indent, bound->reason, header.address, bound->min, bound->max);
            continue;
        }
        if (const auto bound = bound_in_every_context(graph, of_uniform, header.address))
            out += fmt::format("{}<!-- {}: {} to {} times; {} -->\n", indent, where_none_part,
                               bound->min, bound->max, bound->reason);
        out += fmt::format("{0}<loop header=\"0x{1:04x}\" min=\"?\" max=\"?\"/>\n", indent,
                           header.address);
    }
    return out;
}

/// Facts with their reasons.
std::string lines_of(const std::vector<DerivedPathFact>& derived) {
    constexpr std::string_view by = "origin=\"static\" status=\"proved\"";
    std::string out;
    for (const auto& [fact, reason] : derived) {
        out += fmt::format("  <!-- from the code: {} -->\n", escaped(reason));
        if (const auto* never = std::get_if<models::NeverFact>(&fact)) {
            out += fmt::format("  <never block=\"0x{:04x}\" {}/>\n", never->block, by);
        } else if (const auto* pair = std::get_if<models::ExclusiveFact>(&fact)) {
            out += fmt::format("  <exclusive first=\"0x{:04x}\" second=\"0x{:04x}\" {}/>\n",
                               pair->first, pair->second, by);
        } else {
            const auto& linear = std::get<models::LinearFact>(fact);
            out += fmt::format("  <constraint relation=\"at-most\" constant=\"{}\" {}>\n",
                               linear.constant, by);
            for (const auto& term : linear.terms)
                out += fmt::format("    <term coefficient=\"1\"{} block=\"0x{:04x}\"/>\n",
                                   term.from ? fmt::format(" from=\"0x{:04x}\"", *term.from) : "",
                                   term.block);
            out += "  </constraint>\n";
        }
    }
    return out;
}

/// What branches exclude.
std::string branch_lines(const assembly::Function& function,
                         const assembly::ControlFlowGraph& graph,
                         const std::optional<models::Launch>& launch) {
    const auto derived = derive_branch_facts(function, graph, launch, Lanes::MayPart);
    const auto of_uniform = derive_branch_facts(function, graph, launch, Lanes::Together);
    std::string out;
    if (launch && !of_uniform.empty())
        out += fmt::format("  <!-- what branches exclude in launches of at most {} -->\n",
                           models::to_string(models::Launch{launch->blocks, launch->threads}));
    out += lines_of(derived);
    std::set<std::string> stated;
    for (const auto& fact : derived)
        stated.insert(text_of(fact));
    for (const auto& fact : of_uniform)
        if (stated.count(text_of(fact)) == 0)
            out += fmt::format("  <!-- {}: {}; {} -->\n", where_none_part, escaped(text_of(fact)),
                               escaped(fact.reason));
    return out;
}

} // namespace

std::string flow_facts_template(const assembly::Program& program,
                                const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const std::optional<models::Launch>& launch) {
    std::string out = fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- Replace every ?. A loop's min and max count how often its header block executes each time the loop is entered from
     outside: 8 for a loop whose body runs 8 times. transactions: passes of a global access through the load/store path,
     1 to 32. conflict-degree: passes of a shared access, 1 to 32. level: any, l1, l2 or dram.
     A <pattern/> inside <memory> gives the lanes' addresses in place of the passes; with level any it goes
     through the caches.
     A memory line may be deleted: then 1 to 32 passes and any level are covered. -->
<flow-facts kernel="{}" digest="{}">
)",
                                  escaped(function.name), program.digest);
    out += loop_lines(function, graph) + branch_lines(function, graph, launch);
    std::set<std::size_t> instructions;
    for (const auto& block : graph.blocks)
        for (std::size_t i = block.first; i <= block.last; ++i)
            instructions.insert(i);
    for (const std::size_t i : instructions) {
        const auto& instruction = function.instructions[i];
        const auto& effects = instruction.effects;
        if (!effects.memory || effects.memory->space == assembly::StateSpace::Constant) continue;
        const bool shared = effects.memory->space == assembly::StateSpace::Shared;
        out += fmt::format("  <memory at=\"0x{:04x}\" {}/> <!-- {} -->\n", instruction.address,
                           shared                 ? "conflict-degree=\"?\""
                           : effects.memory->load ? "transactions=\"?\" level=\"any\""
                                                  : "transactions=\"?\"",
                           escaped(assembly::print(instruction)));
    }
    return out + "</flow-facts>\n";
}

} // namespace warpbound::analyzer

#include "analyzer/analysis.hpp"
#include "assembly/isa/effects.hpp"
#include "assembly/isa/reader.hpp"

#include <fmt/format.h>

#include <set>

namespace warpbound::analyzer {

namespace {

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

} // namespace

std::string flow_facts_template(const assembly::Program& program,
                                const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph) {
    std::string out = fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- Replace every ?. A loop's min and max count how often its header block executes each time the loop is entered from
     outside: 8 for a loop whose body runs 8 times. transactions: passes of a global access through the load/store path,
     1 to 32. conflict-degree: passes of a shared access, 1 to 32. level: any, l1, l2 or dram.
     A memory line may be deleted: then 1 to 32 passes and any level are covered. -->
<flow-facts kernel="{}" digest="{}">
)",
                                  escaped(function.name), program.digest);
    std::set<std::int64_t> seen;
    for (const auto& loop : graph.loops) {
        const auto& header = graph.blocks[loop.header];
        if (!seen.insert(header.address).second) continue;
        const std::string indent(static_cast<std::size_t>(2 * loop.depth), ' ');
        out += fmt::format("{0}<!-- loop at depth {1}, {2} blocks, begins: {3} -->\n"
                           "{0}<loop header=\"0x{4:04x}\" min=\"?\" max=\"?\"/>\n",
                           indent, loop.depth, loop.blocks.size(),
                           escaped(assembly::print(function.instructions[header.first])),
                           header.address);
    }
    std::set<std::size_t> instructions;
    for (const auto& block : graph.blocks)
        for (std::size_t i = block.first; i <= block.last; ++i)
            instructions.insert(i);
    for (const std::size_t i : instructions) {
        const auto& instruction = function.instructions[i];
        const auto effects = assembly::effects_of(instruction, function.target);
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

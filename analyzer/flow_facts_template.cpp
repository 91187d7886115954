#include "analyzer/flow_facts_template.hpp"

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

/// "at 0x0060 (@P0 EXIT ;)" of the instructions whose lanes choose so.
std::string places_of(const assembly::Function& function, const LaneFacts& lanes, Choice choice) {
    std::string out;
    for (std::size_t i = 0; i < lanes.choices.size(); ++i)
        if (lanes.choices[i] == choice)
            out += fmt::format("{}0x{:04x} ({})", out.empty() ? "" : ", ",
                               function.instructions[i].address,
                               escaped(assembly::print(function.instructions[i])));
    return out;
}

/// Where lanes of a warp decide differently, and where they may.
std::string divergence_lines(const assembly::Function& function, const LaneFacts& lanes) {
    std::string out;
    if (lanes.never_part) out += "  <!-- from the code: no branch parts the lanes of a warp -->\n";
    for (std::size_t i = 0; i < lanes.choices.size(); ++i)
        if (lanes.choices[i] == Choice::Differently)
            out += fmt::format("  <!-- from the code: lanes of a warp decide differently: {} -->\n"
                               "  <divergent at=\"0x{:04x}\" origin=\"static\" "
                               "status=\"proved\"/>\n",
                               escaped(assembly::print(function.instructions[i])),
                               function.instructions[i].address);
    if (const std::string open = places_of(function, lanes, Choice::Unknown); !open.empty())
        out += fmt::format("  <!-- lanes of a warp may decide differently at {}: each where they "
                           "may needs a divergent element -->\n",
                           open);
    return out;
}

/// What follows from the code for the lanes of such blocks.
struct OfLanes {
    LaneFacts wherever; ///< Lanes may part.
    LaneFacts together; ///< Lanes never do.
};

const DerivedPasses* passes_at(const LaneFacts& lanes, std::size_t instruction) {
    for (const DerivedPasses& passes : lanes.passes)
        if (passes.instruction == instruction) return &passes;
    return nullptr;
}

/// `conflict-degree="1..2"`, of shared accesses, or `transactions`.
std::string passes_text(bool shared, const models::PassRange& passes) {
    const std::string range = passes.lo == passes.hi ? std::to_string(passes.lo)
                                                     : fmt::format("{}..{}", passes.lo, passes.hi);
    return fmt::format("{}=\"{}\"", shared ? "conflict-degree" : "transactions", range);
}

/// One access.
std::string memory_lines(const assembly::Instruction& instruction, std::size_t number,
                         const std::optional<OfLanes>& lanes) {
    const auto& memory = *instruction.effects.memory;
    const bool shared = memory.space == assembly::StateSpace::Shared;
    const std::string level = !shared && memory.load ? " level=\"any\"" : "";
    const std::string text = escaped(assembly::print(instruction));
    const DerivedPasses* derived = lanes ? passes_at(lanes->wherever, number) : nullptr;
    if (derived != nullptr) // Of global accesses it is proved where their lanes lie near enough.
        return fmt::format("  <memory at=\"0x{:04x}\" {}{} origin=\"static\" "
                           "status=\"{}\"/> <!-- {} from the code: {} -->\n",
                           instruction.address, passes_text(shared, derived->passes), level,
                           shared ? "proved" : "unchecked", text, derived->reason);
    derived = lanes ? passes_at(lanes->together, number) : nullptr;
    std::string out;
    if (derived != nullptr)
        out = fmt::format("  <!-- {}: {}; {} -->\n", where_none_part,
                          passes_text(shared, derived->passes), derived->reason);
    return out + fmt::format("  <memory at=\"0x{:04x}\" {}=\"?\"{}/> <!-- {} -->\n",
                             instruction.address, shared ? "conflict-degree" : "transactions",
                             level, text);
}

} // namespace

std::string flow_facts_template(const assembly::Program& program,
                                const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const std::optional<models::Launch>& launch,
                                const std::optional<BlocksOnMachine>& blocks) {
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
    std::optional<OfLanes> lanes;
    if (blocks) {
        const auto derive = [&](Lanes how) {
            return derive_lane_facts(function, graph, blocks->shape, *blocks->architecture, how);
        };
        lanes = OfLanes{derive(Lanes::MayPart), derive(Lanes::Together)};
        const auto& threads = blocks->shape.threads;
        out +=
            fmt::format("  <!-- Passes are of blocks of {} x {} x {} threads on {}, transactions "
                        "where the lanes of an access lie less\n"
                        "       than 4 GiB apart. -->\n",
                        threads[0], threads[1], threads[2], blocks->architecture->name);
        if (const auto& missing = lanes->together.missing; !missing.empty())
            out += fmt::format("  <!-- The description lacks {}: passes that depend on it are not "
                               "derived. -->\n",
                               fmt::join(missing, ", "));
        out += divergence_lines(function, lanes->wherever);
    }
    std::set<std::size_t> instructions;
    for (const auto& block : graph.blocks)
        for (std::size_t i = block.first; i <= block.last; ++i)
            instructions.insert(i);
    for (const std::size_t i : instructions) {
        const auto& instruction = function.instructions[i];
        const auto& memory = instruction.effects.memory;
        if (memory && memory->space != assembly::StateSpace::Constant)
            out += memory_lines(instruction, i, lanes);
    }
    return out + "</flow-facts>\n";
}

} // namespace warpbound::analyzer

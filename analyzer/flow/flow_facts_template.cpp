#include "analyzer/flow/flow_facts_template.hpp"

#include "analyzer/flow/infeasible_paths.hpp"
#include "analyzer/flow/loop_bounds.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

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

const DerivedPasses* passes_at(const ThreadFacts& lanes, std::size_t instruction) {
    for (const DerivedPasses& passes : lanes.passes)
        if (passes.instruction == instruction) return &passes;
    return nullptr;
}

/// What follows from the code, or from the code with stated constants in it.
struct Source {
    const assembly::Function& function;
    std::string_view from;   ///< "from the code"
    std::string_view status; ///< Of its facts.
    /// What follows wherever lanes may part, and where they never do.
    std::optional<ThreadFacts> wherever;
    std::optional<ThreadFacts> together;

    /// What is followed in every launch.
    [[nodiscard]] Lanes lanes() const {
        return wherever && wherever->always_uniform ? Lanes::Together : Lanes::MayPart;
    }
    /// Where lanes never part uniform registers are followed, too.
    [[nodiscard]] std::string where_none_part() const {
        return fmt::format("{}, where lanes of a warp never part", from);
    }
    [[nodiscard]] std::string by(std::string_view status_of) const {
        return fmt::format("origin=\"static\" status=\"{}\"", status_of);
    }
    [[nodiscard]] std::string by() const { return by(status); }
};

/// Writes a template piece by piece. What follows from the code alone comes first.
class Template {
public:
    Template(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
             const std::optional<models::Launch>& launch, std::vector<Source> sources)
        : function_{function}, graph_{graph}, launch_{launch}, sources_{std::move(sources)} {}

    /// Every loop, with what follows of it.
    [[nodiscard]] std::string loops() const;
    /// What branches exclude.
    [[nodiscard]] std::string branches() const;
    /// Where lanes of a warp decide differently, and where they may.
    [[nodiscard]] std::string divergence() const;
    /// Every access, with its passes as far as they follow.
    [[nodiscard]] std::string accesses() const;

private:
    [[nodiscard]] const Source& all() const { return sources_.back(); } ///< That says most.
    [[nodiscard]] std::string places_of(Choice choice) const;
    [[nodiscard]] std::string access(std::size_t number) const;

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const std::optional<models::Launch>& launch_;
    std::vector<Source> sources_;
};

std::string Template::loops() const {
    using Derived = std::vector<std::optional<DerivedLoop>>;
    std::vector<Derived> derived;
    for (const Source& source : sources_)
        derived.push_back(derive_loops(source.function, graph_, source.lanes()));
    const Derived of_uniform = derive_loops(all().function, graph_, Lanes::Together);
    std::string out;
    std::set<std::int64_t> seen;
    const auto loop_lines = [&](const assembly::Loop& loop) {
        const auto& header = graph_.blocks[loop.header];
        if (!seen.insert(header.address).second) return;
        const std::string indent(static_cast<std::size_t>(2 * loop.depth), ' ');
        out += fmt::format("{0}<!-- loop at depth {1}, {2} blocks, begins: {3} -->\n", indent,
                           loop.depth, loop.blocks.size(),
                           escaped(assembly::print(function_.instructions[header.first])));
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const auto bound = bound_in_every_context(graph_, derived[i], header.address);
            if (!bound) continue;
            out += fmt::format("{0}<!-- {1}: {2} -->\n"
                               "{0}<loop header=\"0x{3:04x}\" min=\"{4}\" max=\"{5}\" {6}/>\n",
                               indent, sources_[i].from, bound->reason, header.address, bound->min,
                               bound->max, sources_[i].by());
            return;
        }
        if (const auto bound = bound_in_every_context(graph_, of_uniform, header.address))
            out += fmt::format("{}<!-- {}: {} to {} times; {} -->\n", indent,
                               all().where_none_part(), bound->min, bound->max, bound->reason);
        out += fmt::format("{0}<loop header=\"0x{1:04x}\" min=\"?\" max=\"?\"/>\n", indent,
                           header.address);
    };
    for (const auto& loop : graph_.loops)
        loop_lines(loop);
    return out;
}

/// A fact with its reason.
std::string lines_of(const DerivedPathFact& derived, const Source& source) {
    std::string out = fmt::format("  <!-- {}: {} -->\n", source.from, escaped(derived.reason));
    if (const auto* never = std::get_if<models::NeverFact>(&derived.fact))
        return out + fmt::format("  <never block=\"0x{:04x}\" {}/>\n", never->block, source.by());
    if (const auto* pair = std::get_if<models::ExclusiveFact>(&derived.fact))
        return out + fmt::format("  <exclusive first=\"0x{:04x}\" second=\"0x{:04x}\" {}/>\n",
                                 pair->first, pair->second, source.by());
    const auto& linear = std::get<models::LinearFact>(derived.fact);
    out += fmt::format("  <constraint relation=\"{}\" constant=\"{}\" {}>\n",
                       linear.relation == models::Relation::AtLeast ? "at-least" : "at-most",
                       linear.constant, source.by());
    for (const auto& term : linear.terms)
        out +=
            fmt::format("    <term coefficient=\"{}\"{} block=\"0x{:04x}\"/>\n", term.coefficient,
                        term.from ? fmt::format(" from=\"0x{:04x}\"", *term.from) : "", term.block);
    return out + "  </constraint>\n";
}

std::string Template::branches() const {
    const auto derive = [&](const Source& source, Lanes lanes) {
        return derive_branch_facts(source.function, graph_, launch_, lanes);
    };
    const auto of_uniform = derive(all(), Lanes::Together);
    std::string out;
    if (launch_ && !of_uniform.empty())
        out += fmt::format("  <!-- what branches exclude in launches of at most {} -->\n",
                           models::to_string(models::Launch{launch_->blocks, launch_->threads}));
    std::set<std::string> stated;
    for (const Source& source : sources_)
        for (const auto& fact : derive(source, source.lanes()))
            if (stated.insert(text_of(fact)).second) out += lines_of(fact, source);
    for (const auto& fact : of_uniform)
        if (stated.count(text_of(fact)) == 0)
            out += fmt::format("  <!-- {}: {}; {} -->\n", all().where_none_part(),
                               escaped(text_of(fact)), escaped(fact.reason));
    return out;
}

/// "at 0x0060 (@P0 EXIT ;)" of the instructions whose lanes choose so.
std::string Template::places_of(Choice choice) const {
    std::string out;
    for (std::size_t i = 0; i < function_.instructions.size(); ++i)
        if (all().wherever->choices[i] == choice)
            out += fmt::format("{}0x{:04x} ({})", out.empty() ? "" : ", ",
                               function_.instructions[i].address,
                               escaped(assembly::print(function_.instructions[i])));
    return out;
}

std::string Template::divergence() const {
    if (!all().wherever) return {};
    std::string out;
    for (const Source& source : sources_)
        if (source.wherever->always_uniform) {
            out += fmt::format("  <!-- {}: no branch parts the lanes of a warp -->\n", source.from);
            break;
        }
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
        const auto source = std::find_if(sources_.begin(), sources_.end(), [&](const Source& from) {
            return from.wherever->choices[i] == Choice::Differently;
        });
        if (source != sources_.end())
            out += fmt::format("  <!-- {}: lanes of a warp decide differently: {} -->\n"
                               "  <divergent at=\"0x{:04x}\" {}/>\n",
                               source->from, escaped(assembly::print(function_.instructions[i])),
                               function_.instructions[i].address, source->by());
    }
    if (const std::string open = places_of(Choice::Unknown); !open.empty())
        out += fmt::format("  <!-- lanes of a warp may decide differently at {}: each where they "
                           "may needs a divergent element -->\n",
                           open);
    return out;
}

/// `conflict-degree="1..2"`, of shared accesses, or `transactions`.
std::string passes_text(bool shared, const models::PassRange& passes) {
    const std::string range = passes.lo == passes.hi ? std::to_string(passes.lo)
                                                     : fmt::format("{}..{}", passes.lo, passes.hi);
    return fmt::format("{}=\"{}\"", shared ? "conflict-degree" : "transactions", range);
}

std::string Template::access(std::size_t number) const {
    const assembly::Instruction& instruction = function_.instructions[number];
    const auto& memory = *instruction.effects.memory;
    const bool shared = memory.space == assembly::StateSpace::Shared;
    const std::string level = !shared && memory.load ? " level=\"any\"" : "";
    const std::string text = escaped(assembly::print(instruction));
    const Source* best = nullptr;
    for (const Source& source : sources_) {
        const auto* passes = source.wherever ? passes_at(*source.wherever, number) : nullptr;
        if (passes == nullptr) continue;
        if (best == nullptr || !(passes_at(*best->wherever, number)->passes == passes->passes))
            best = &source;
    }
    if (best != nullptr) { // Of global accesses it is proved where their lanes lie near enough.
        const DerivedPasses& derived = *passes_at(*best->wherever, number);
        return fmt::format("  <memory at=\"0x{:04x}\" {}{} {}/> <!-- {} {}: {} -->\n",
                           instruction.address, passes_text(shared, derived.passes), level,
                           best->by(shared ? best->status : "unchecked"), text, best->from,
                           derived.reason);
    }
    std::string out;
    if (const auto* derived = all().together ? passes_at(*all().together, number) : nullptr)
        out = fmt::format("  <!-- {}: {}; {} -->\n", all().where_none_part(),
                          passes_text(shared, derived->passes), derived->reason);
    return out + fmt::format("  <memory at=\"0x{:04x}\" {}=\"?\"{}/> <!-- {} -->\n",
                             instruction.address, shared ? "conflict-degree" : "transactions",
                             level, text);
}

std::string Template::accesses() const {
    std::set<std::size_t> instructions;
    for (const auto& block : graph_.blocks)
        for (std::size_t i = block.first; i <= block.last; ++i)
            instructions.insert(i);
    std::string out;
    for (const std::size_t i : instructions) {
        const auto& memory = function_.instructions[i].effects.memory;
        if (memory && memory->space != assembly::StateSpace::Constant) out += access(i);
    }
    return out;
}

/// What is stated of constants.
std::string words_text(const KernelParameters& words) {
    std::string out;
    for (const auto& [offset, word] : words)
        out += fmt::format("{}c[0x0][0x{:x}] is {}", out.empty() ? "" : ", ", offset,
                           word.bits == 32
                               ? fmt::format("0x{:x}", word.value)
                               : fmt::format("a multiple of {}", std::uint64_t{1} << word.bits));
    return out;
}

} // namespace

std::string flow_facts_template(const assembly::Program& program,
                                const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const std::optional<models::Launch>& launch,
                                const std::optional<BlocksOnMachine>& blocks,
                                const KernelParameters& words) {
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
    const assembly::Function given = with_words(function, words);
    std::vector<Source> sources;
    const auto add = [&](const assembly::Function& code, const KernelParameters& stated,
                         std::string_view from, std::string_view status) {
        Source source{code, from, status, {}, {}};
        const auto derive = [&](Lanes lanes) {
            return derive_thread_facts(code, graph, blocks->shape, *blocks->architecture, lanes,
                                       stated);
        };
        if (blocks) {
            source.wherever = derive(Lanes::MayPart);
            source.together = derive(Lanes::Together);
        }
        sources.push_back(std::move(source));
    };
    add(function, {}, "from the code", "proved");
    if (!words.empty()) {
        add(given, words, "from the code and the given constants", "unchecked");
        out += fmt::format("  <!-- Given constants: {}. -->\n", words_text(words));
    }
    if (blocks) {
        const auto& threads = blocks->shape.threads;
        out +=
            fmt::format("  <!-- For blocks of {} x {} x {} threads on {}; transactions where the "
                        "lanes of an access lie less than 4 GiB apart. -->\n",
                        threads[0], threads[1], threads[2], blocks->architecture->name);
        if (const auto& missing = sources.back().together->missing; !missing.empty())
            out += fmt::format("  <!-- The description lacks {}: passes that depend on it are not "
                               "derived. -->\n",
                               fmt::join(missing, ", "));
    }
    const Template pieces{function, graph, launch, std::move(sources)};
    return out + pieces.divergence() + pieces.loops() + pieces.branches() + pieces.accesses() +
           "</flow-facts>\n";
}

} // namespace warpbound::analyzer

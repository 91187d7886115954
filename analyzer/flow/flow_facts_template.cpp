#include "analyzer/flow/flow_facts_template.hpp"

#include "analyzer/flow/facts_in_use.hpp"
#include "analyzer/flow/infeasible_paths.hpp"
#include "analyzer/flow/loop_bounds.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"
#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

const DerivedTransactions* transactions_at(const ThreadFacts& facts, std::size_t instruction) {
    for (const DerivedTransactions& access : facts.accesses.transactions)
        if (access.instruction == instruction) return &access;
    return nullptr;
}

/// What facts are derived from: the code, or the code with stated kernel parameters in it.
struct FactBasis {
    const assembly::Function& function;
    std::string_view from;                   ///< "from the code"
    std::string_view status;                 ///< Status attribute of its facts.
    std::optional<ThreadFacts> if_diverging; ///< Holds even if the warp diverges.
    std::optional<ThreadFacts> if_converged; ///< Holds if the warp never diverges.

    /// Converged only where that follows from the code.
    [[nodiscard]] Convergence convergence() const {
        return if_diverging && if_diverging->always_uniform ? Convergence::Converged
                                                            : Convergence::MayDiverge;
    }
    /// The basis of facts that need a warp that never diverges.
    [[nodiscard]] std::string without_divergence() const {
        return fmt::format("{}, where the warp never diverges", from);
    }
    [[nodiscard]] std::string attributes(std::string_view status_of) const {
        return fmt::format("origin=\"static\" status=\"{}\"", status_of);
    }
    [[nodiscard]] std::string attributes() const { return attributes(status); }
};

/// What an analysis of the launch derives; nothing where there is no whole launch.
using LaunchFacts = std::optional<models::FlowFacts>;

/// Writes a template section by section. The first basis is the code alone.
class TemplateWriter {
public:
    TemplateWriter(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                   const std::optional<models::Launch>& launch, std::vector<FactBasis> bases,
                   LaunchFacts of_launch)
        : function_{function}, graph_{graph}, launch_{launch}, bases_{std::move(bases)},
          of_launch_{std::move(of_launch)} {}

    /// Every loop, with its derived bound.
    [[nodiscard]] std::string loops() const;
    /// Infeasible paths.
    [[nodiscard]] std::string infeasible_paths() const;
    /// Divergent instructions, and those whose uniformity is not known.
    [[nodiscard]] std::string divergence() const;
    /// Every memory access, with its derived transactions.
    [[nodiscard]] std::string accesses() const;

private:
    /// The basis with everything that is stated.
    [[nodiscard]] const FactBasis& strongest() const { return bases_.back(); }
    [[nodiscard]] std::string open_instructions() const;
    [[nodiscard]] std::string loop_of_launch(std::int64_t header, std::string_view indent) const;
    [[nodiscard]] std::string access_of_launch(std::size_t number) const;
    [[nodiscard]] std::string access(std::size_t number) const;
    [[nodiscard]] std::string repeated_from(const assembly::Loop& loop) const;
    [[nodiscard]] std::string instruction_text(std::size_t number) const;

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const std::optional<models::Launch>& launch_;
    std::vector<FactBasis> bases_;
    LaunchFacts of_launch_;
};

/// "from the code and the launch", and the status of such a fact.
std::pair<std::string_view, std::string_view> basis_of(const models::FactSource& source) {
    if (source == models::from_arguments)
        return {"from the code, the launch and the kernel parameters", "unchecked"};
    return {"from the code and the launch",
            source.status == models::FactStatus::Proved ? "proved" : "unchecked"};
}

/// A bound that an analysis of the launch finds by executing the code on ranges, or that the loop
/// is never entered; empty: neither.
std::string TemplateWriter::loop_of_launch(std::int64_t header, std::string_view indent) const {
    if (!of_launch_) return {};
    for (const models::LoopFact& loop : of_launch_->loops) {
        if (loop.header != header) continue;
        const auto [from, status] = basis_of(loop.from);
        return fmt::format("{0}<!-- {1}: by abstract execution -->\n"
                           "{0}<loop header=\"0x{2:04x}\" min=\"{3}\" max=\"{4}\" "
                           "origin=\"static\" status=\"{5}\"/>\n",
                           indent, from, header, loop.min, loop.max, status);
    }
    for (const models::NeverFact& never : of_launch_->nevers) {
        if (never.block != header) continue;
        const auto [from, status] = basis_of(never.from);
        return fmt::format("{0}<!-- {1}: no thread enters the loop -->\n"
                           "{0}<never block=\"0x{2:04x}\" origin=\"static\" status=\"{3}\"/>\n",
                           indent, from, header, status);
    }
    return {};
}

/// The source line of the branch that repeats the loop; empty when there is none.
std::string TemplateWriter::repeated_from(const assembly::Loop& loop) const {
    const std::size_t latch = graph_.edges[loop.back_edges.front()].from;
    const std::string source =
        escaped(assembly::source_of(function_, function_.instructions[graph_.blocks[latch].last]));
    return source.empty() ? source : "; repeated from " + source;
}

/// "0x0060" with its source line, and its text.
std::string TemplateWriter::instruction_text(std::size_t number) const {
    const std::string source =
        escaped(assembly::source_of(function_, function_.instructions[number]));
    return escaped(assembly::print(function_.instructions[number])) +
           (source.empty() ? "" : ", " + source);
}

std::string TemplateWriter::loops() const {
    const auto derive = [&](const FactBasis& basis, Convergence convergence) {
        return bounds_in_every_context(graph_, derive_loops(basis.function, graph_, convergence));
    };
    std::vector<std::map<std::int64_t, DerivedLoop>> derived;
    for (const FactBasis& basis : bases_)
        derived.push_back(derive(basis, basis.convergence()));
    const auto if_converged = derive(strongest(), Convergence::Converged);
    std::string out;
    std::set<std::int64_t> seen;
    const auto loop_lines = [&](const assembly::Loop& loop) {
        const auto& header = graph_.blocks[loop.header];
        if (!seen.insert(header.address).second) return;
        const std::string indent(static_cast<std::size_t>(2 * loop.depth), ' ');
        out += fmt::format("{0}<!-- loop at depth {1}, {2} blocks, begins: {3}{4} -->\n", indent,
                           loop.depth, loop.blocks.size(),
                           escaped(assembly::print(function_.instructions[header.first])),
                           repeated_from(loop));
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            const auto found = derived[i].find(header.address);
            if (found == derived[i].end()) continue;
            const DerivedLoop& bound = found->second;
            out += fmt::format("{0}<!-- {1}: {2} -->\n"
                               "{0}<loop header=\"0x{3:04x}\" min=\"{4}\" max=\"{5}\" {6}/>\n",
                               indent, bases_[i].from, bound.reason, header.address, bound.min,
                               bound.max, bases_[i].attributes());
            return;
        }
        if (const std::string line = loop_of_launch(header.address, indent); !line.empty()) {
            out += line;
            return;
        }
        if (const auto found = if_converged.find(header.address); found != if_converged.end())
            out += fmt::format("{}<!-- {}: {} to {} times; {} -->\n", indent,
                               strongest().without_divergence(), found->second.min,
                               found->second.max, found->second.reason);
        out += fmt::format("{0}<loop header=\"0x{1:04x}\" min=\"?\" max=\"?\"/>\n", indent,
                           header.address);
    };
    for (const auto& loop : graph_.loops)
        loop_lines(loop);
    return out;
}

/// The XML of a fact, after a comment with its reason.
std::string lines_of(const DerivedPathFact& derived, const FactBasis& basis) {
    std::string out = fmt::format("  <!-- {}: {} -->\n", basis.from, escaped(derived.reason));
    if (const auto* never = std::get_if<models::NeverFact>(&derived.fact))
        return out +
               fmt::format("  <never block=\"0x{:04x}\" {}/>\n", never->block, basis.attributes());
    if (const auto* pair = std::get_if<models::ExclusiveFact>(&derived.fact))
        return out + fmt::format("  <exclusive first=\"0x{:04x}\" second=\"0x{:04x}\" {}/>\n",
                                 pair->first, pair->second, basis.attributes());
    const auto& linear = std::get<models::LinearFact>(derived.fact);
    out += fmt::format("  <constraint relation=\"{}\" constant=\"{}\" {}>\n",
                       linear.relation == models::Relation::AtLeast ? "at-least" : "at-most",
                       linear.constant, basis.attributes());
    for (const auto& term : linear.terms)
        out +=
            fmt::format("    <term coefficient=\"{}\"{} block=\"0x{:04x}\"/>\n", term.coefficient,
                        term.from ? fmt::format(" from=\"0x{:04x}\"", *term.from) : "", term.block);
    return out + "  </constraint>\n";
}

std::string TemplateWriter::infeasible_paths() const {
    const auto derive = [&](const FactBasis& basis, Convergence convergence) {
        return derive_infeasible_paths(basis.function, graph_, launch_, convergence);
    };
    const auto if_converged = derive(strongest(), Convergence::Converged);
    std::string out;
    if (launch_ && !if_converged.empty())
        out += fmt::format("  <!-- infeasible paths in launches of at most {} -->\n",
                           models::to_string(models::Launch{launch_->blocks, launch_->threads}));
    std::set<std::string> stated;
    for (const FactBasis& basis : bases_)
        for (const auto& fact : derive(basis, basis.convergence()))
            if (stated.insert(text_of(fact)).second) out += lines_of(fact, basis);
    for (const auto& fact : if_converged)
        if (stated.count(text_of(fact)) == 0)
            out += fmt::format("  <!-- {}: {}; {} -->\n", strongest().without_divergence(),
                               escaped(text_of(fact)), escaped(fact.reason));
    return out;
}

/// "0x0060 (@P0 EXIT ;)" for each instruction whose uniformity is not known.
std::string TemplateWriter::open_instructions() const {
    std::string out;
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
        const std::int64_t at = function_.instructions[i].address;
        if (strongest().if_diverging->uniformity[i] == Uniformity::Unknown &&
            !(of_launch_ && of_launch_->is_uniform(at)))
            out += fmt::format("{}0x{:04x} ({})", out.empty() ? "" : ", ", at, instruction_text(i));
    }
    return out;
}

std::string TemplateWriter::divergence() const {
    if (!strongest().if_diverging) return {};
    std::string out;
    for (const FactBasis& basis : bases_)
        if (basis.if_diverging->always_uniform) {
            out += fmt::format("  <!-- {}: no branch diverges -->\n", basis.from);
            break;
        }
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
        const auto found = std::find_if(bases_.begin(), bases_.end(), [&](const FactBasis& basis) {
            return basis.if_diverging->uniformity[i] == Uniformity::Divergent;
        });
        if (found != bases_.end())
            out += fmt::format("  <!-- {}: divergent within a warp: {} -->\n"
                               "  <divergent at=\"0x{:04x}\" {}/>\n",
                               found->from, instruction_text(i), function_.instructions[i].address,
                               found->attributes());
    }
    if (const std::string open = open_instructions(); !open.empty())
        out += fmt::format("  <!-- uniformity is not known at {}: these count as divergent; where "
                           "the lanes of a warp always agree, state <uniform at=\"..\"/> -->\n",
                           open);
    return out;
}

/// `conflict-degree="1..2"` for shared accesses, else `transactions="1..2"`.
std::string transactions_attribute(bool shared, const models::PassRange& count) {
    const std::string range =
        count.lo == count.hi ? std::to_string(count.lo) : fmt::format("{}..{}", count.lo, count.hi);
    return fmt::format("{}=\"{}\"", shared ? "conflict-degree" : "transactions", range);
}

/// A count that an analysis of the launch finds; empty: none.
std::string TemplateWriter::access_of_launch(std::size_t number) const {
    const assembly::Instruction& instruction = function_.instructions[number];
    const auto* fact = of_launch_ ? of_launch_->memory_at(instruction.address) : nullptr;
    if (fact == nullptr) return {};
    const bool shared = instruction.effects.memory->space == assembly::StateSpace::Shared;
    const auto& count = shared ? fact->conflict_degree : fact->transactions;
    if (!count) return {};
    const auto [from, status] = basis_of(fact->from);
    const std::string_view level =
        !shared && instruction.effects.memory->load ? " level=\"any\"" : "";
    return fmt::format("  <memory at=\"0x{:04x}\" {}{} origin=\"static\" status=\"{}\"/> "
                       "<!-- {} {} -->\n",
                       instruction.address,
                       transactions_attribute(shared, models::PassRange{count->min, count->max}),
                       level, status, instruction_text(number), from);
}

std::string TemplateWriter::access(std::size_t number) const {
    const assembly::Instruction& instruction = function_.instructions[number];
    const auto& memory = *instruction.effects.memory;
    const bool shared = memory.space == assembly::StateSpace::Shared;
    const std::string level = !shared && memory.load ? " level=\"any\"" : "";
    const std::string text = instruction_text(number);
    const FactBasis* best = nullptr;
    for (const FactBasis& basis : bases_) {
        const auto* access =
            basis.if_diverging ? transactions_at(*basis.if_diverging, number) : nullptr;
        if (access == nullptr) continue;
        if (best == nullptr ||
            !(transactions_at(*best->if_diverging, number)->transactions == access->transactions))
            best = &basis;
    }
    if (best != nullptr) { // Global accesses: sound only if their lanes lie within 4 GiB.
        const DerivedTransactions& derived = *transactions_at(*best->if_diverging, number);
        return fmt::format("  <memory at=\"0x{:04x}\" {}{} {}/> <!-- {} {}: {} -->\n",
                           instruction.address,
                           transactions_attribute(shared, derived.transactions), level,
                           best->attributes(shared ? best->status : "unchecked"), text, best->from,
                           derived.reason);
    }
    std::string out = access_of_launch(number);
    if (!out.empty()) return out;
    if (const auto* derived =
            strongest().if_converged ? transactions_at(*strongest().if_converged, number) : nullptr)
        out = fmt::format("  <!-- {}: {}; {} -->\n", strongest().without_divergence(),
                          transactions_attribute(shared, derived->transactions), derived->reason);
    return out + fmt::format("  <memory at=\"0x{:04x}\" {}=\"?\"{}/> <!-- {} -->\n",
                             instruction.address, shared ? "conflict-degree" : "transactions",
                             level, text);
}

std::string TemplateWriter::accesses() const {
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

/// "c[0x0][0x160] is 0x7, c[0x0][0x168] is a multiple of 256".
std::string parameters_text(const KernelParameters& parameters) {
    std::string out;
    for (const auto& [offset, word] : parameters)
        out += fmt::format("{}c[0x0][0x{:x}] is {}", out.empty() ? "" : ", ", offset,
                           word.bits == 32
                               ? fmt::format("0x{:x}", word.value)
                               : fmt::format("a multiple of {}", std::uint64_t{1} << word.bits));
    return out;
}

/// Nothing where an analysis would refuse the launch.
LaunchFacts facts_of(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                     models::Launch launch, const BlocksOnMachine& blocks,
                     const KernelParameters& parameters) {
    launch.shape = blocks.shape;
    launch.arguments = parameters;
    auto facts = facts_in_use(function, graph, *blocks.architecture, launch, {});
    return facts ? LaunchFacts{std::move(facts).value()} : LaunchFacts{};
}

/// What facts of the template may depend on, as attributes.
std::string conditions_text(const std::optional<models::Launch>& launch,
                            const std::optional<BlocksOnMachine>& blocks,
                            const KernelParameters& parameters) {
    models::FactConditions conditions;
    if (launch) conditions = models::conditions_of(*launch);
    if (blocks) conditions.block = blocks->shape;
    conditions.arguments = parameters;
    std::string text;
    for (const auto& [name, value] : models::attributes_of(conditions))
        text += fmt::format(" {}=\"{}\"", name, value);
    return text;
}

} // namespace

std::string flow_facts_template(const assembly::Program& program,
                                const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const std::optional<models::Launch>& launch,
                                const std::optional<BlocksOnMachine>& blocks,
                                const KernelParameters& parameters) {
    std::string out = fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- Replace every ?. A loop's min and max count how often its header block executes each time the loop is entered from
     outside: 8 for a loop whose body runs 8 times. transactions: memory transactions of a global access, 1 to {0}.
     conflict-degree: bank-conflict degree of a shared access, 1 to {0}. level: any, l1, l2 or dram.
     A <pattern/> inside <memory> gives the lanes' addresses in place of these counts; with level any it goes
     through the caches.
     A memory line may be deleted: then 1 to {0} transactions and any level are covered. -->
<flow-facts kernel="{1}" digest="{2}"{3}>
)",
                                  is_amd(function.target) ? 128 : 32, escaped(function.name),
                                  program.digest, conditions_text(launch, blocks, parameters));
    if (is_amd(function.target)) { // One path a wavefront (S54); of values what the launch says.
        const TemplateWriter writer{function,
                                    graph,
                                    launch,
                                    {{function, "from the code", "proved", {}, {}}},
                                    launch && blocks
                                        ? facts_of(function, graph, *launch, *blocks, parameters)
                                        : LaunchFacts{}};
        return out + writer.loops() + writer.accesses() + "</flow-facts>\n";
    }
    const assembly::Function with_values = with_parameters(function, parameters);
    std::vector<FactBasis> bases;
    const auto add = [&](const assembly::Function& code, const KernelParameters& stated,
                         std::string_view from, std::string_view status) {
        FactBasis basis{code, from, status, {}, {}};
        const auto derive = [&](bool is_uniform) {
            return derive_thread_facts(
                code, graph, blocks->shape, *blocks->architecture,
                UniformInstructions(code.instructions.size(), is_uniform), stated, nullptr,
                launch ? std::optional{last_block_of(*launch)} : std::nullopt);
        };
        if (blocks) {
            basis.if_diverging = derive(false);
            basis.if_converged = derive(true);
        }
        bases.push_back(std::move(basis));
    };
    add(function, {}, "from the code", "proved");
    if (!parameters.empty()) {
        add(with_values, parameters, "from the code and the kernel parameters", "unchecked");
        out += fmt::format("  <!-- Kernel parameters: {}. -->\n", parameters_text(parameters));
    }
    if (blocks) {
        out += fmt::format("  <!-- For blocks of {} threads on {}; transactions hold where the "
                           "lanes of an access lie within less than 4 GiB. -->\n",
                           to_string(blocks->shape), blocks->architecture->name);
        if (const auto& missing = bases.back().if_converged->accesses.missing; !missing.empty())
            out += fmt::format(
                "  <!-- The description lacks {}: transactions that depend on it are not "
                "derived. -->\n",
                fmt::join(missing, ", "));
    }
    const TemplateWriter writer{
        function, graph, launch, std::move(bases),
        launch && blocks ? facts_of(function, graph, *launch, *blocks, parameters) : LaunchFacts{}};
    return out + writer.divergence() + writer.loops() + writer.infeasible_paths() +
           writer.accesses() + "</flow-facts>\n";
}

} // namespace warpbound::analyzer

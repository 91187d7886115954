#include "analyzer/assumptions.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "models/architecture/costless_groups.hpp"
#include "models/architecture/shipped.hpp"
#include "models/caveat.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

namespace warpbound::analyzer {

namespace {

/// Texts of facts (with their addresses), by status and kind of fact with its source.
using FactTexts = std::map<std::pair<models::FactStatus, std::string>, std::vector<std::string>>;

/// Whether facts state where warps are uniform.
bool rests_on_statements(const models::FlowFacts& facts) {
    return std::any_of(facts.uniforms.begin(), facts.uniforms.end(),
                       [](const models::UniformFact& fact) {
                           return fact.from.origin == models::FactOrigin::User;
                       });
}

/// Who says so: "stated in scale.xml, whose author calls them proved".
std::string source_of(const models::FactSource& from, const models::FlowFacts& facts) {
    if (from.status == models::FactStatus::Proved) return "from the code";
    if (from.line == 0 && from.origin == models::FactOrigin::Arguments)
        return "from the code and the stated arguments of the kernel";
    if (from.line == 0 && from.origin == models::FactOrigin::Statements)
        return "from the code and what is stated to be uniform";
    if (from.line == 0 && from.origin == models::FactOrigin::BarrierRule)
        return "from CUDA's rule for barriers";
    if (from.line == 0 && from.origin == models::FactOrigin::NormalEnd)
        return "assuming that no thread traps or calls code outside the listing (printf, assert)";
    if (from.line == 0 && from.origin == models::FactOrigin::Static)
        return "from the code where the lanes of an access lie within 4 GiB";
    if (from.file != 0) {
        const models::FactFile& file = facts.sources[from.file - 1];
        return fmt::format("stated in comments of {} ({})", file.name, file.digest);
    }
    std::string text = "stated in " + (facts.name.empty() ? "the flow facts" : facts.name);
    if (from.origin != models::FactOrigin::User)
        text += fmt::format(" with origin {}", models::to_string(from.origin));
    if (from.claimed != models::FactStatus::Unchecked)
        text += fmt::format(", whose author calls them {}", models::to_string(from.claimed));
    return text;
}

AssumptionStatus status_of(models::FactStatus status) {
    switch (status) {
    case models::FactStatus::Proved:
        return AssumptionStatus::Proved;
    case models::FactStatus::TraceConsistent:
        return AssumptionStatus::Measured;
    default:
        return AssumptionStatus::Unchecked;
    }
}

/// Whether a stated loop bound is no tighter than the one derived from the code.
bool is_derived(const TimedKernel& kernel, const models::LoopFact& fact) {
    const auto& graph = *kernel.graph;
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        if (graph.blocks[graph.loops[loop].header].address != fact.header) continue;
        const auto& derived = kernel.facts.derived[loop];
        if (!derived || derived->min < fact.min || derived->max > fact.max) return false;
    }
    return true;
}

void add_derived_loops(const TimedKernel& kernel, FactTexts& texts) {
    const auto& graph = *kernel.graph;
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        const auto& derived = kernel.facts.derived[loop];
        const std::size_t header = graph.loops[loop].header;
        if (!derived || kernel.facts.never[header_block(graph.loops[loop])]) continue;
        // Where a converged warp rests on statements, so does what follows from it.
        const models::LoopFact* fact = kernel.stated->loop_at(graph.blocks[header].address);
        const models::FactSource from = fact != nullptr && fact->from == models::from_statements
                                            ? fact->from
                                            : models::from_code;
        texts[{from.status, "loop bounds, " + source_of(from, *kernel.stated)}].push_back(
            fmt::format("0x{:04x}: {}..{} ({})", graph.blocks[header].address, derived->min,
                        derived->max, derived->reason));
    }
}

void add_derived_branches(const TimedKernel& kernel, FactTexts& texts) {
    for (const DerivedPathFact& derived : kernel.facts.infeasible_paths) {
        models::FactSource from = source_of(derived);
        if (from == models::from_code && rests_on_statements(*kernel.stated))
            from = models::from_statements;
        texts[{from.status, fmt::format("infeasible paths, {}", source_of(from, *kernel.stated))}]
            .push_back(fmt::format("{} ({})", text_of(derived), derived.reason));
    }
}

void add_facts(const TimedKernel& kernel, FactTexts& texts) {
    const models::FlowFacts& facts = *kernel.stated;
    const auto add = [&](const models::FactSource& from, const std::string& kind,
                         std::string text) {
        texts[{from.status, fmt::format("{}, {}", kind, source_of(from, facts))}].push_back(
            from.file == 0 ? std::move(text) : fmt::format("{} (line {})", text, from.line));
    };
    add_derived_loops(kernel, texts);
    add_derived_branches(kernel, texts);
    for (const auto& fact : facts.loops)
        if (!is_derived(kernel, fact))
            add(fact.from, "loop bounds",
                fmt::format("0x{:04x}: {}..{}", fact.header, fact.min, fact.max));
    for (const auto& fact : facts.nevers)
        add(fact.from, "blocks never executed", fmt::format("0x{:04x}", fact.block));
    for (const auto& fact : facts.exclusives)
        if (fact.from.line == 0)
            add(fact.from, "infeasible paths",
                fmt::format("{} (by branch conditions)", text_of(DerivedPathFact{fact, {}})));
        else
            add(fact.from, "exclusive blocks",
                fmt::format("0x{:04x} and 0x{:04x}", fact.first, fact.second));
    for (const auto& fact : facts.constraints)
        if (fact.from.line == 0)
            add(fact.from, "infeasible paths",
                fmt::format("{} (by {})", text_of(DerivedPathFact{fact, {}}),
                            fact.constant == 1 ? "branch conditions"
                                               : "abstract execution or branch conditions"));
        else
            add(fact.from, "linear facts", fmt::format("line {}", fact.from.line));
    for (const auto& fact : facts.memory)
        add(fact.from,
            fact.from == models::from_arguments ? "memory accesses whose lanes lie within 4 GiB"
                                                : "memory accesses",
            fmt::format("0x{:04x}{}", fact.at, fact.pattern ? " with its address pattern" : ""));
    for (const auto& fact : facts.uniforms)
        add(fact.from, "uniform instructions", fmt::format("0x{:04x}", fact.at));
    if (const auto& fact = facts.representative)
        add(fact->from, "paths of threads that represent their warps",
            fmt::format("thread blocks {},{},{} to {},{},{}", fact->first[0], fact->first[1],
                        fact->first[2], fact->last[0], fact->last[1], fact->last[2]));
}

/// Paths of values in the description, by their caveat.
using ValuesByCaveat = std::map<std::string, std::set<std::string>>;

/// Values that only launches of several warps use.
void add_geometry_caveats(const models::Architecture& architecture, const LaunchGeometry& shape,
                          ValuesByCaveat& caveats) {
    const auto add = [&](const models::ValueGroup& group, const char* path, const char* name) {
        const models::SourcedValue* value = group.find(name);
        const auto caveat = value == nullptr ? std::string{} : models::caveat_of(*value);
        if (!caveat.empty()) caveats[caveat].insert(fmt::format("{}/{}", path, name));
    };
    if (shape.registers)
        for (const char* name : {"registers", "registers-per-block", "registers-per-thread",
                                 "register-granularity", "register-partitions"})
            add(architecture.limits, "limits", name);
    if (shape.shared_memory)
        for (const char* name :
             {"shared-memory", "shared-memory-per-block", "shared-granularity", "shared-reserved"})
            add(architecture.limits, "limits", name);
    add(architecture.schedulers, "schedulers", "issue-slot");
    if (shape.multiprocessors > 1) add(architecture.geometry, "geometry", "multiprocessors");
    if (shape.has_one_warp()) return;
    add(architecture.schedulers, "schedulers", "count");
    add(architecture.limits, "limits", "max-warps");
    if (!shape.has_one_block()) add(architecture.limits, "limits", "max-blocks");
    if (shape.shares_evenly) add(architecture.blocks, "blocks", "most-room");
    if (shape.waves() == 1) return;
    add(architecture.blocks, "blocks", "replacement");
    add(architecture.blocks, "blocks", "start");
}

/// Values of the caches, links and DRAM that bound the queueing delay.
void add_memory_caveats(const models::Architecture& architecture, ValuesByCaveat& caveats) {
    for (const char* level : {"l1", "l2", "interconnect", "dram"}) {
        const models::ValueGroup* group = architecture.memory(level);
        if (group == nullptr) continue;
        for (const models::SourcedValue& value : group->values)
            if (const std::string caveat = models::caveat_of(value); !caveat.empty())
                caveats[caveat].insert(fmt::format("memories/{}/{}", level, value.name));
    }
}

/// Values of the register file with read ports.
void add_read_port_caveats(const models::Architecture& architecture, ValuesByCaveat& caveats) {
    for (const models::SourcedValue& value : architecture.register_file.values)
        if (const std::string caveat = models::caveat_of(value); !caveat.empty())
            caveats[caveat].insert(fmt::format("register-file/{}", value.name));
}

/// Values of the instruction caches.
void add_operand_caveats(const models::Architecture& architecture, ValuesByCaveat& caveats) {
    for (const models::SourcedValue& value : architecture.memory("constant")->values)
        if (const std::string caveat = models::caveat_of(value); !caveat.empty())
            caveats[caveat].insert(fmt::format("memories/constant/{}", value.name));
}

void add_fetch_caveats(const models::Architecture& architecture, ValuesByCaveat& caveats) {
    for (const models::SourcedValue& value : architecture.fetch.values)
        if (const std::string caveat = models::caveat_of(value); !caveat.empty())
            caveats[caveat].insert(fmt::format("fetch/{}", value.name));
}

/// The assumption on the residency of blocks (C30).
std::string residency_text(const LaunchGeometry& shape) {
    const bool is_one = shape.resident == models::ThreadBlocks{1};
    std::string text = fmt::format("{} block{} of the launch {} co-resident{}{}",
                                   shape.resident.count(), is_one ? "" : "s", is_one ? "is" : "are",
                                   shape.multiprocessors == 1 ? "" : " on a multiprocessor",
                                   shape.shares_evenly && shape.multiprocessors > 1
                                       ? ", as each goes to one with the most room"
                                       : "");
    if (shape.registers) text += fmt::format(", with {} registers a thread", *shape.registers);
    if (shape.shared_memory)
        text += fmt::format("{} {} bytes of {}shared memory a block{}",
                            shape.registers ? " and" : ", with", *shape.shared_memory,
                            shape.static_shared_memory ? "static " : "",
                            shape.static_shared_memory ? " and no dynamic one" : "");
    if (!shape.registers && !shape.shared_memory)
        return text + ": registers and shared memory do not limit them.";
    if (!shape.registers) return text + ": registers do not limit them.";
    if (!shape.shared_memory) return text + ": shared memory does not limit them.";
    return text + ".";
}

std::string addresses_text(const std::vector<std::int64_t>& addresses) {
    std::vector<std::string> texts;
    for (const std::int64_t address : addresses)
        texts.push_back(fmt::format("0x{:04x}", address));
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// How divergence is covered.
std::string divergence_text(const TimedKernel& kernel) {
    const auto& divergents = kernel.stated->divergents;
    if (is_amd(kernel.function->target))
        return "A wavefront follows one path of the scalar code, with lanes switched off by EXEC "
               "(S54), and the code waits for a result before it uses it.";
    if (divergents.empty()) return "No branch diverges: all lanes of a warp take the same path.";
    std::vector<std::string> addresses;
    for (const auto& fact : divergents)
        addresses.push_back(fmt::format("0x{:04x}", fact.at));
    return fmt::format(
        "Lanes of a warp agree at every branch and guarded instruction except at {}, "
        "where they may diverge.",
        fmt::join(addresses, ", "));
}

/// Branches that ask for the active lanes of the warp (C102).
std::vector<std::int64_t> branches_on_active_lanes(const TimedKernel& kernel) {
    std::vector<std::int64_t> addresses;
    const auto& instructions = kernel.function->instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i)
        if (kernel.used[i] &&
            (instructions[i].has_modifier("DIV") || instructions[i].has_modifier("CONV")) &&
            instructions[i].control_flow == assembly::ControlFlow::Branch)
            addresses.push_back(instructions[i].address);
    return addresses;
}

/// The assumption on the choices of warp schedulers among several warps (C19).
std::string choices_text(const ScheduledLaunch& launch, bool assumes_round_robin_order) {
    if (assumes_round_robin_order) return "Warp schedulers choose in loose round robin.";
    switch (launch.guarantee()) {
    case models::PolicyGuarantee::OrderForced:
        return "Warp schedulers choose in strict round robin, whether the next warp may issue or "
               "not.";
    case models::PolicyGuarantee::TimeDivision:
        return fmt::format("Warp schedulers choose a warp only in its own time slots, as policy {} "
                           "states.",
                           models::to_string(launch.policy));
    case models::PolicyGuarantee::SetLimited:
        if (conserves_work(launch)) break;
        return fmt::format(
            "A warp scheduler whose active set holds a warp that may issue chooses one; "
            "which one is not assumed. Warps are in the active set as policy {} "
            "states.",
            models::to_string(launch.policy));
    case models::PolicyGuarantee::WorkConserving:
        break;
    }
    return "A warp scheduler that has a warp that may issue chooses one; which one is not assumed.";
}

/// What the instruction caches hold at the start, and what else uses them.
std::string lines_text(const InstructionLines& lines) {
    return fmt::format("The text of the kernel begins at a line of the instruction caches, {}; "
                       "nothing else uses them meanwhile, and misses are bounded, not assumed.",
                       lines.are_warm
                           ? "which hold every line of it that stays in them from the start on, "
                             "as stated (fetch/warm)"
                           : "whose contents are unknown at the start");
}

/// What the caches of constant operands hold at the start, and what else uses them.
std::string operands_text(const OperandLines& lines) {
    return fmt::format(
        "Nothing else uses the caches of constant operands meanwhile, {}; misses are "
        "bounded, not assumed.",
        lines.are_warm ? "which hold every line that stays in them from the start "
                         "on, as stated (memories/constant/warm)"
                       : "whose contents are unknown at the start");
}

/// The caches that no rule of the machine describes, and about which nothing is stated.
std::string perfect_caches_text(const TimedKernel& kernel) {
    const models::Architecture& machine = *kernel.architecture;
    const models::ValueGroup* constant = machine.memory("constant");
    const bool fetch_hits = !kernel.delivery.lines && !machine.fetch.costs_nothing;
    const bool constants_hit =
        !kernel.delivery.operands && (constant == nullptr || !constant->costs_nothing);
    if (fetch_hits && constants_hit)
        return "Instruction fetch and constant operands always hit their caches.";
    if (fetch_hits) return "Instruction fetch always hits its caches.";
    return constants_hit ? "Constant operands always hit their cache." : "";
}

/// Who waits for the ports of register banks.
std::string ports_text(const TimedKernel& kernel) {
    const std::string text =
        "Register reads wait for the ports of their banks in the order of issue; those of "
        "instructions of variable latency delay no others and ";
    if (!kernel.registers.reads->queued.empty())
        return text + "wait while those of fixed latency take a port. " +
               (kernel.registers.writes
                    ? "Their results wait while those of fixed latency are written."
                    : "Their results wait for no port.");
    return text + "wait for none" +
           (kernel.registers.writes
                ? ". Their results wait while those of fixed latency are written."
                : ", nor do their results.");
}

/// Flags of control fields that no rule of the machine uses.
std::string ignored_flags(const TimedKernel& kernel) {
    const bool yields = kernel.architecture->schedulers.find("yield") != nullptr;
    if (!kernel.registers.reads) return yields ? "reuse flags" : "yield and reuse flags";
    return yields ? "other flags" : "yield flags";
}

} // namespace

std::vector<Assumption> assumptions_of(const AnalysisContext& context,
                                       const models::ArgumentWords& arguments,
                                       bool assumes_round_robin_order) {
    const TimedKernel& kernel = context.kernel;
    const models::Architecture& machine = *kernel.architecture;
    const LaunchGeometry& shape = context.launch.shape;
    std::vector<Assumption> list;
    using enum AssumptionSubject;
    const auto add = [&](AssumptionSubject subject, std::string text) -> Assumption& {
        list.push_back({.id = fmt::format("A{}", list.size() + 1),
                        .text = std::move(text),
                        .status = AssumptionStatus::Unchecked,
                        .subject = subject});
        return list.back();
    };
    add(Code, "The listing is the code that runs.");
    if (shape.has_one_warp()) {
        add(User,
            "The warp runs alone on its multiprocessor, and no other work uses the memory system "
            "beyond what the latency intervals "
            "contain.");
    } else {
        const std::string where =
            shape.multiprocessors == 1
                ? "one multiprocessor, nothing else does"
                : fmt::format("{} multiprocessors, each block on any of "
                              "them with a free block slot, nothing else does",
                              shape.multiprocessors);
        add(User,
            fmt::format("All blocks of the launch run on {}, and the latency intervals contain "
                        "the queueing delay between accesses of several warps.",
                        where));
    }
    add(Code, divergence_text(kernel));
    if (is_amd(kernel.function->target))
        add(Machine, "Counters of a wavefront count as C99 states: vector memory and LDS return in "
                     "the order of their issue, scalar loads in any, and s_waitcnt waits until as "
                     "few as it names are outstanding.");
    if (const auto branches = branches_on_active_lanes(kernel); !branches.empty())
        add(Machine,
            fmt::format(
                "BRA.DIV and BRA.CONV ask the warp once which lanes are active, so that all "
                "active lanes whose guard holds take the same side (C102, which no "
                "document of the vendor states): {}.",
                addresses_text(branches)));
    if (const auto branches = branches_by_barrier_rule(kernel, shape); !branches.empty())
        add(Code,
            fmt::format("The threads of a block that have not ended pass the same barriers: they "
                        "take the same outcome at each branch on which a barrier depends (CUDA C++ "
                        "Programming Guide, __syncthreads()): {}.",
                        addresses_text(branches)));
    if (!shape.has_one_warp()) add(User, residency_text(shape));
    if (!shape.has_one_warp())
        add(Machine, choices_text(context.launch, assumes_round_robin_order));
    if (context.memory.caches)
        add(Machine,
            "Caches start empty and DRAM rows closed, and DRAM refreshes at any time; the "
            "queueing delay of accesses with an address pattern and no stated level is bounded, "
            "not "
            "assumed.");
    if (kernel.delivery.lines) add(Machine, lines_text(*kernel.delivery.lines));
    if (kernel.delivery.operands) add(Machine, operands_text(*kernel.delivery.operands));
    for (std::string& statement : models::statements_on_costless_groups(machine))
        add(User, std::move(statement));
    if (auto hits = perfect_caches_text(kernel); !hits.empty()) add(NotModelled, std::move(hits));
    if (!kernel.registers.reads && !machine.register_file.costs_nothing)
        add(NotModelled, "Register-bank conflicts cost nothing.");
    else if (kernel.registers.reads)
        add(Machine, ports_text(kernel));
    if (machine.has_memory_queue())
        add(Machine, "Memory instructions wait in the queue of their scheduler, in order, until "
                     "the memory path of the multiprocessor takes them; in which order it takes "
                     "those of several schedulers is not assumed.");
    if (machine.issue_control == models::IssueControl::Encoded)
        add(Machine,
            fmt::format("The encoded stall count is the interval to the warp's next issue; "
                        "{} do not change it.",
                        ignored_flags(kernel)));
    add(Machine,
        fmt::format("Machine {} behaves as docs/reference/timing-contract.md states, with the "
                    "values of its description.",
                    machine.name));
    ValuesByCaveat caveats;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        for (const auto& value : kernel.timings[i].value().values_with_caveat) {
            const std::size_t open = value.rfind(" (");
            if (open != std::string::npos)
                caveats[value.substr(open + 2, value.size() - open - 3)].insert(
                    value.substr(0, open));
        }
    }
    add_geometry_caveats(machine, shape, caveats);
    if (context.memory.caches) add_memory_caveats(machine, caveats);
    if (kernel.registers.reads) add_read_port_caveats(machine, caveats);
    if (kernel.delivery.lines) add_fetch_caveats(machine, caveats);
    if (kernel.delivery.operands) add_operand_caveats(machine, caveats);
    for (const auto& [caveat, values] : caveats)
        add(Machine, fmt::format("These values of the description are {}: {}.", caveat,
                                 fmt::join(values, ", ")))
            .values.assign(values.begin(), values.end());
    if (auto statement = models::statement_on(machine); !statement.empty())
        add(Machine, std::move(statement));
    if (!arguments.empty())
        add(User, fmt::format("The arguments of the kernel, words of constant bank 0, are as the "
                              "launch states: {}.",
                              models::to_string(arguments)));
    FactTexts fact_texts;
    add_facts(kernel, fact_texts);
    for (const auto& [kind, texts] : fact_texts)
        add(kind.first == models::FactStatus::Proved ? Code : User,
            fmt::format("Flow facts hold, {}: {}.", kind.second, fmt::join(texts, ", ")))
            .status = status_of(kind.first);
    return list;
}

} // namespace warpbound::analyzer

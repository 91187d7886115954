#include "analyzer/preparation.hpp"

#include "analyzer/flow/warp_executions.hpp"
#include "analyzer/memory/atomic_delay.hpp"
#include "analyzer/memory/behind_queue.hpp"
#include "analyzer/memory/footprint_analysis.hpp"
#include "analyzer/microarchitecture/unseen_counters.hpp"
#include "assembly/isa/operand_reads.hpp"
#include "assembly/isa/register_roles.hpp"
#include "assembly/isa/source_places.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// Constructs of the contract that this version does not bound.
Result<void> check_supported(const Request& request, const std::vector<bool>& used) {
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        const auto& instruction = request.function->instructions[i];
        const auto refuse = [&](const char* what) {
            return Failure{
                fmt::format("{}: {}", assembly::place_of(*request.function, instruction), what),
                request.function->name, instruction.position.line, instruction.position.column};
        };
        if (instruction.opcode_class == assembly::OpcodeClass::Barrier &&
            !assembly::waits_for_whole_block(instruction))
            return refuse(
                "barriers that do not wait or that count threads are not bounded in this version");
        if (assembly::synchronizes_threads(instruction) &&
            request.facts->is_divergent(instruction.address))
            return refuse("a guarded barrier is not bounded where lanes may diverge; if the lanes "
                          "of a warp always agree there, state <uniform at=\"..\"/>");
        if (instruction.opcode_class == assembly::OpcodeClass::DependenceBarrier &&
            !instruction.control && !is_amd(request.function->target))
            for (const auto& operand : instruction.operands)
                if (std::holds_alternative<assembly::TextOperand>(operand))
                    return refuse(
                        "DEPBAR with a list of scoreboards is not bounded in this version");
    }
    return boost::outcome_v2::success();
}

/// The option that leaves out a group of the description that only delays.
std::string option_without(std::string_view group) {
    return fmt::format("--assume {}=none", group);
}

/// The bounds assume that fetch ports, operand collectors and constants cost nothing (C17).
Result<void> check_perfect(const models::Architecture& architecture) {
    const auto parts = architecture.imperfect_parts();
    if (parts.empty()) return boost::outcome_v2::success();
    std::vector<std::string> options;
    for (const std::string_view part : parts)
        options.push_back(option_without(part == "operand-collectors" ? "register-file" : part));
    options.erase(std::unique(options.begin(), options.end()), options.end());
    return Failure{fmt::format("architecture {} describes {}; bounds do not cover its cost (rules "
                               "C43 to C53), simulate does; to leave it out under an unchecked "
                               "assumption: {}",
                               architecture.name, fmt::join(parts, ", "), fmt::join(options, " ")),
                   architecture.name};
}

/// The described groups for which nothing is proved under a policy that does not conserve work:
/// constant operands (S42), and under a policy that limits active sets read ports where a register
/// may wait for the lag of a result (S33), and instruction caches that may replace lines (S36).
/// Write ports (S69) and reads of variable latency (S73) under every such
/// policy.
std::vector<std::string_view> groups_without_bounds(const Request& request) {
    const models::Architecture& architecture = *request.architecture;
    std::vector<std::string_view> groups;
    if (models::guarantee_of(request.policy) == models::PolicyGuarantee::SetLimited) {
        if (architecture.has_instruction_caches() && !lines_persist_in_l0(request))
            groups.emplace_back("fetch");
        if (architecture.has_read_ports() &&
            architecture.issue_control != models::IssueControl::Encoded)
            groups.emplace_back("register-file");
    }
    if (architecture.has_write_ports()) groups.emplace_back("register-file/write-ports");
    if (architecture.has_variable_latency_reads())
        groups.emplace_back("register-file/variable-latency-reads");
    if (architecture.has_operand_caches() && !bounds_operand_misses_without_conservation(request))
        groups.emplace_back("memories/constant");
    return groups;
}

Result<void> check_policy(const Request& request, const ScheduledLaunch& launch) {
    if (launch.shape.has_one_warp() || conserves_work(launch)) return boost::outcome_v2::success();
    const auto groups = groups_without_bounds(request);
    if (groups.empty()) return boost::outcome_v2::success();
    std::vector<std::string> options;
    for (const std::string_view group : groups)
        options.push_back(
            option_without(group.starts_with("register-file") ? "register-file" : group));
    options.erase(std::unique(options.begin(), options.end()), options.end());
    return Failure{
        fmt::format("policy {}: several warps are not bounded under it where the architecture, "
                    "here {}, describes {}; expected a policy that conserves work ({}, {}), a "
                    "launch of one warp, or the unchecked assumption that they never delay: {}",
                    models::to_string(request.policy), request.architecture->name,
                    fmt::join(groups, " and "),
                    fmt::join(models::policy_names(models::PolicyGuarantee::WorkConserving), ", "),
                    fmt::join(models::policy_names(models::PolicyGuarantee::SetLimited), ", "),
                    fmt::join(options, " ")),
        request.architecture->name};
}

/// The parameters that bound the queueing delay at the caches. Refuses when they are incomplete.
Result<MemoryParameters> caches_of(const Request& request,
                                   const assembly::Instruction& instruction) {
    auto values = read_memory_parameters(*request.architecture);
    if (values) return values;
    return Failure{
        fmt::format("{}: its address pattern leads through the caches; {}; or state the "
                    "level in its <memory>: level=\"l1\", \"l2\" or \"dram\" (the pattern "
                    "then gives its transactions)",
                    assembly::place_of(*request.function, instruction), values.error().what),
        request.function->name, instruction.position.line, instruction.position.column};
}

/// LDGDEPBAR waits for copies by a latency that does not contain what they wait for at the caches.
Result<void> check_copies(const TimedKernel& kernel) {
    const auto& instructions = kernel.function->instructions;
    const auto is_through_caches = [&](std::size_t i) {
        return kernel.used[i] && instructions[i].mnemonic == "LDGSTS" && kernel.timings[i] &&
               kernel.timings[i].value().through_caches;
    };
    for (std::size_t i = 0; i < instructions.size(); ++i)
        if (is_through_caches(i))
            return refuse_at(*kernel.function, i,
                             "a copy to shared memory through the caches is not bounded: what "
                             "waits for it by LDGDEPBAR does not contain its queueing delay; state "
                             "the level of its <memory>: level=\"l1\", \"l2\" or \"dram\"");
    return boost::outcome_v2::success();
}

/// The parameters that bound the queueing delay at the caches, if an instruction that the stated
/// facts allow accesses memory through them. An instruction that only derived facts exclude still
/// counts (C26).
Result<std::optional<MemoryParameters>> caches_of(const Request& request,
                                                  const TimedKernel& kernel) {
    const auto uses_caches = [&](std::size_t i) {
        return kernel.timings[i] && kernel.timings[i].value().through_caches;
    };
    const auto parameters_at = [&](std::size_t i) -> Result<std::optional<MemoryParameters>> {
        auto values = caches_of(request, request.function->instructions[i]);
        if (!values) return values.as_failure();
        return std::optional{std::move(values).value()};
    };
    bool is_excluded = false;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!uses_caches(i)) continue;
        if (kernel.used[i]) return parameters_at(i);
        is_excluded = true;
    }
    if (!is_excluded || !request.follow_branches) return std::optional<MemoryParameters>{};
    const auto facts =
        resolve_facts(*request.function, *request.graph, *request.facts, std::nullopt);
    if (!facts) return facts.as_failure();
    const auto stated = used_instructions(*request.function, *request.graph, facts.value().never);
    for (std::size_t i = 0; i < kernel.timings.size(); ++i)
        if (uses_caches(i) && stated[i]) return parameters_at(i);
    return std::optional<MemoryParameters>{};
}

/// Every instruction in use without a time, in one refusal located at the first.
Failure refusal_of_timings(const TimedKernel& kernel) {
    std::optional<Failure> all;
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        if (!kernel.used[i] || kernel.timings[i]) continue;
        const Failure& one = kernel.timings[i].error();
        if (all)
            all->what += "\n  " + one.what;
        else
            all = one;
    }
    if (all->where.empty()) all->where = kernel.function->name;
    return *all;
}

bool has_barriers(const TimedKernel& kernel) {
    for (std::size_t i = 0; i < kernel.used.size(); ++i)
        if (kernel.used[i] && kernel.timings[i].value().is_barrier_wait) return true;
    return false;
}

/// The lines of the text, and the waits for them that gaps contain.
Result<void> apply_instruction_caches(const Request& request, const LaunchGeometry& shape,
                                      TimedKernel& kernel) {
    const auto lines = instruction_lines(request, shape, has_barriers(kernel));
    if (!lines) return lines.as_failure();
    kernel.delivery.lines = lines.value();
    if (kernel.delivery.lines)
        add_line_waits(request, *kernel.delivery.lines, kernel.timings.own());
    return boost::outcome_v2::success();
}

/// Refines transactions and latencies of accesses by their addresses.
void apply_caches(const LaunchGeometry& shape, TimedKernel& kernel, MemoryPath& memory) {
    // After a divergent branch it is unknown which threads execute an access, and how often.
    if (kernel.stated->divergents.empty())
        memory.footprint = unless_stopped([&] {
                               return footprint_of(kernel, shape, *memory.caches);
                           }).value_or(std::nullopt);
    if (memory.footprint) memory.unrefined.resize(kernel.timings.size());
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!kernel.timings[i]) continue;
        if (!kernel.timings[i].value().through_caches) continue;
        models::InstructionTiming& timing = kernel.timings.own()[i].value();
        const models::Interval passes = timing.passes;
        if (memory.footprint && memory.footprint->passes[i].hi > 0)
            timing.passes = memory.footprint->passes[i];
        // The latency intervals of the levels hold for an access that does not merge with another
        // (S21).
        if (!timing.enters_write_buffer) timing.latency.hi += memory.caches->transit_spread;
        // Behind a memory queue latencies count from the hand-over (S75).
        if (!timing.enters_write_buffer)
            timing.latency.hi += latest_hand_over(timing, *kernel.architecture);
        if (!memory.footprint) continue;
        memory.unrefined[i] = UnrefinedAccess{passes, timing.latency};
        if (!timing.enters_write_buffer && memory.footprint->always_misses[i])
            timing.latency.lo = std::max(timing.latency.lo, memory.caches->dram_latency_lo);
    }
}

/// Where guards hold by the code: how often each warp of a block executes what holds a port of the
/// multiprocessor or enters the write buffer.
std::vector<ExecutionCounts> executions_of(const Request& request, const TimedKernel& kernel,
                                           const LaunchGeometry& shape) {
    constexpr models::Warps most{32}; // Each is an abstract execution.
    const bool by_code = request.follow_branches || request.follow_guards;
    if (!by_code || shape.warps_per_block > most || shape.warps_per_block == models::Warps{1})
        return {};
    std::vector<bool> counted(kernel.used.size(), false);
    for (std::size_t i = 0; i < counted.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        const models::InstructionTiming& timing = kernel.timings[i].value();
        const bool is_shared =
            kernel.architecture->units[timing.unit].scope == models::UnitScope::Core;
        counted[i] = is_shared || timing.enters_write_buffer;
    }
    return unless_stopped([&] {
               return executions_by_warp(*request.function, *request.graph, *request.facts,
                                         request.launch, kernel.warp_size, counted);
           })
        .value_or(std::vector<ExecutionCounts>{});
}

} // namespace

Result<AnalysisContext> prepare(const Request& request) {
    if (auto perfect = check_perfect(*request.architecture); !perfect) return perfect.as_failure();
    const auto geometry = launch_geometry(request.launch, *request.function, *request.architecture,
                                          request.multiprocessors);
    if (!geometry) return geometry.as_failure();
    auto facts =
        resolve_facts(*request.function, *request.graph, *request.facts,
                      request.follow_branches ? std::optional{request.launch} : std::nullopt);
    if (!facts) return facts.as_failure();
    AnalysisContext context;
    TimedKernel& kernel = context.kernel;
    kernel.function = request.function;
    kernel.graph = request.graph;
    kernel.architecture = request.architecture;
    kernel.stated = request.facts;
    kernel.warp_size =
        require(*request.architecture, request.architecture->geometry, "geometry", "warp-size")
            .value()
            .hi;
    kernel.facts = std::move(facts).value();
    kernel.timings = models::instruction_timings(*request.function, *request.architecture,
                                                 *request.facts, request.launch.threads);
    context.launch = {geometry.value(), request.policy, {}};
    context.run = {current_stop().deadline(), request.seed, request.certificates};
    kernel.unseen_counters =
        unseen_by_warps(*request.function, *request.graph, *request.architecture, kernel.timings);
    auto reads = register_reads(*request.function, *request.graph, *request.architecture);
    if (!reads) return reads.as_failure();
    kernel.registers.reads = std::move(reads).value();
    auto writes = register_writes(*request.function, kernel.registers.reads, *request.architecture);
    if (!writes) return writes.as_failure();
    kernel.registers.writes = std::move(writes).value();
    if (auto bounded = check_policy(request, context.launch); !bounded) return bounded.as_failure();
    kernel.used = used_instructions(*request.function, *request.graph, kernel.facts.never);
    if (auto copies = check_copies(kernel); !copies) return copies.as_failure();
    if (auto supported = check_supported(request, kernel.used); !supported)
        return supported.as_failure();
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        if (!kernel.used[i]) continue;
        if (!kernel.timings[i]) return refusal_of_timings(kernel);
        if (kernel.registers.reads)
            if (const auto covered =
                    check_queued_reads(*kernel.registers.reads, i,
                                       assembly::has_result(request.function->instructions[i]),
                                       kernel.timings[i].value());
                !covered)
                return refuse_at(*kernel.function, i, covered.error().what);
        if (kernel.registers.writes)
            if (const auto covered =
                    check_register_writes(*kernel.registers.writes, *kernel.registers.reads, i,
                                          kernel.timings[i].value());
                !covered)
                return refuse_at(*kernel.function, i, covered.error().what);
        if (!kernel.timings[i].value().enters_write_buffer) continue;
        const auto& group = request.architecture->write_buffer;
        const auto entries = require(*request.architecture, group, "write-buffer", "entries");
        if (!entries) return entries.as_failure();
        const auto drain = require(*request.architecture, group, "write-buffer", "drain");
        if (!drain) return drain.as_failure();
        if (entries.value().lo < 1)
            return Failure{fmt::format("write-buffer/entries of architecture {} is {}; at least 1 "
                                       "was expected, or no store could ever issue",
                                       request.architecture->name, entries.value().lo)};
        kernel.write_buffer.entries = entries.value();
        kernel.write_buffer.drain = drain.value();
    }
    auto caches = caches_of(request, kernel);
    if (!caches) return caches.as_failure();
    context.memory.caches = std::move(caches).value();
    if (context.memory.caches) apply_caches(context.launch.shape, kernel, context.memory);
    context.memory.atomics_wait = atomics_may_wait(kernel, context.launch.shape);
    if (auto applied = apply_instruction_caches(request, context.launch.shape, kernel); !applied)
        return applied.as_failure();
    auto operands = operand_lines(request, kernel.used);
    if (!operands) return operands.as_failure();
    kernel.delivery.operands = std::move(operands).value();
    context.launch.executions = executions_of(request, kernel, context.launch.shape);
    return context;
}

} // namespace warpbound::analyzer

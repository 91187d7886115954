#include "analyzer/analysis.hpp"

#include "analyzer/assumptions.hpp"
#include "analyzer/chain_graph.hpp"
#include "analyzer/fact_paths.hpp"
#include "analyzer/flow_facts.hpp"
#include "analyzer/flow_solver.hpp"
#include "analyzer/measured_time.hpp"
#include "analyzer/state_graph.hpp"
#include "analyzer/witness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

namespace warpbound::analyzer {

namespace {

using Timings = std::vector<Result<models::InstructionTiming>>;

/// Everything the two sides share.
struct Problem {
    const Request& request;
    ResolvedFacts facts;
    Timings timings;
    std::vector<bool> used; ///< Per instruction: on a path that the facts allow.
    models::Interval buffer_entries{0, 0, 0};
    models::Interval buffer_drain{0, 0, 0};
    std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// Instructions that can be reached without entering a block that is never executed.
std::vector<bool> used_instructions(const Request& request, const std::vector<bool>& never) {
    const auto& graph = *request.graph;
    std::vector<bool> used(request.function->instructions.size(), false);
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<std::size_t> work{0};
    seen[0] = true;
    while (!work.empty()) {
        const auto& block = graph.blocks[work.back()];
        work.pop_back();
        for (std::size_t i = block.first; i <= block.last; ++i)
            used[i] = true;
        for (const std::size_t edge : block.out) {
            const std::size_t to = graph.edges[edge].to;
            if (seen[to] || never[to]) continue;
            seen[to] = true;
            work.push_back(to);
        }
    }
    return used;
}

/// Operands of a barrier but the predicate that BAR.RED combines: its number and its thread count.
std::int64_t counted_operands(const assembly::Instruction& instruction) {
    return std::count_if(instruction.operands.begin(), instruction.operands.end(),
                         [](const assembly::Operand& operand) {
                             const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
                             return reg == nullptr ||
                                    (reg->file != assembly::RegisterFile::Predicate &&
                                     reg->file != assembly::RegisterFile::UniformPredicate);
                         });
}

/// Constructs of the contract that this version does not bound.
Result<void> check_supported(const Request& request, const std::vector<bool>& used) {
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        const auto& instruction = request.function->instructions[i];
        const auto refuse = [&](const char* what) {
            return Failure{fmt::format("0x{:04x}: {}", instruction.address, what),
                           request.function->name, instruction.position.line,
                           instruction.position.column};
        };
        if (instruction.opcode_class == assembly::OpcodeClass::Barrier &&
            (instruction.has_modifier("ARV") || counted_operands(instruction) > 1))
            return refuse(
                "barriers that do not wait or that count threads are not bounded in this version");
        if (instruction.opcode_class == assembly::OpcodeClass::DependenceBarrier)
            for (const auto& operand : instruction.operands)
                if (std::holds_alternative<assembly::TextOperand>(operand))
                    return refuse(
                        "DEPBAR with a list of scoreboards is not bounded in this version");
    }
    return boost::outcome_v2::success();
}

Result<void> check_request(const Request& request) {
    const auto warp_size =
        require(*request.architecture, request.architecture->geometry, "geometry", "warp-size");
    if (!warp_size) return warp_size.as_failure();
    const std::int64_t warps =
        request.launch.warps_per_block(warp_size.value().lo) * request.launch.blocks;
    if (request.launch.blocks != 1 || warps != 1)
        return Failure{
            fmt::format("launch {} has {} warps; this version bounds one warp of one block",
                        models::to_string(request.launch), warps),
            "--launch"};
    // One warp is always chosen when it may issue, except where it has to wait for its slot.
    if (models::guarantee_of(request.policy) == models::PolicyGuarantee::Slotted)
        return Failure{fmt::format("policy {} is {}; this version bounds policies under which a "
                                   "warp that is alone never waits",
                                   models::to_string(request.policy),
                                   models::to_string(models::guarantee_of(request.policy))),
                       "--policy"};
    return boost::outcome_v2::success();
}

Result<Problem> prepare(const Request& request) {
    if (auto checked = check_request(request); !checked) return checked.as_failure();
    auto facts = resolve_facts(*request.function, *request.graph, *request.facts);
    if (!facts) return facts.as_failure();
    Problem problem{
        request,
        std::move(facts).value(),
        models::instruction_timings(*request.function, *request.architecture, *request.facts),
        {},
        {0, 0, 0},
        {0, 0, 0},
        std::nullopt};
    const auto slot = require(*request.architecture, request.architecture->schedulers, "schedulers",
                              "issue-slot");
    if (!slot) return slot.as_failure();
    problem.used = used_instructions(request, problem.facts.never);
    if (auto supported = check_supported(request, problem.used); !supported)
        return supported.as_failure();
    for (std::size_t i = 0; i < problem.used.size(); ++i) {
        if (!problem.used[i]) continue;
        if (!problem.timings[i]) {
            Failure failure = problem.timings[i].error();
            if (failure.where.empty()) failure.where = request.function->name;
            return failure;
        }
        if (!problem.timings[i].value().enters_write_buffer) continue;
        const auto& group = request.architecture->write_buffer;
        const auto entries = require(*request.architecture, group, "write-buffer", "entries");
        if (!entries) return entries.as_failure();
        const auto drain = require(*request.architecture, group, "write-buffer", "drain");
        if (!drain) return drain.as_failure();
        if (entries.value().lo < 1)
            return Failure{fmt::format("write-buffer/entries of architecture {} is {}; at least 1 "
                                       "was expected, or no store could ever issue",
                                       request.architecture->name, entries.value().lo)};
        problem.buffer_entries = entries.value();
        problem.buffer_drain = drain.value();
    }
    // Longer limits are none: they could not be counted.
    constexpr std::chrono::duration<double> longest_limit{1e8};
    if (request.time_limit && *request.time_limit < longest_limit)
        problem.deadline =
            std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(*request.time_limit);
    return problem;
}

bool has_further_facts(const Request& request) {
    return !request.facts->exclusives.empty() || !request.facts->constraints.empty();
}

/// How many nodes of the path graph a block may have: all in small kernels, few in large ones and
/// where the solver has to see many blocks.
std::size_t nodes_per_block(const Request& request) {
    const auto blocks = static_cast<double>(std::max<std::size_t>(1, request.graph->blocks.size()));
    double terms = 1;
    for (const auto& fact : request.facts->constraints)
        terms += static_cast<double>(fact.terms.size());
    constexpr double nodes = 40'000;
    constexpr double solver_edges = 4'000; // of which a block has the square of its nodes
    const double most = std::min(nodes / blocks, std::sqrt(solver_edges / terms));
    return std::clamp<std::size_t>(static_cast<std::size_t>(most), 1, 96);
}

Failure contradiction(const Request& request) {
    std::string lines;
    const auto add = [&](const models::FactSource& from) {
        if (from.line > 0) lines += (lines.empty() ? "" : ", ") + std::to_string(from.line);
    };
    for (const auto& fact : request.facts->loops)
        add(fact.from);
    for (const auto& fact : request.facts->nevers)
        add(fact.from);
    for (const auto& fact : request.facts->exclusives)
        add(fact.from);
    for (const auto& fact : request.facts->constraints)
        add(fact.from);
    return Failure{fmt::format("the flow facts contradict each other or the code: no path of {} "
                               "from its entry to an EXIT "
                               "satisfies all of them{}",
                               request.function->name,
                               lines.empty() ? "" : " (lines " + lines + ")"),
                   request.facts->name};
}

/// The rules of the machine with one number of write-buffer entries.
struct SidePair {
    Pipeline lower;
    Pipeline upper;

    [[nodiscard]] const Pipeline& of(Side side) const {
        return side == Side::Lower ? lower : upper;
    }
    [[nodiscard]] RelativeState start() const { return {lower.start(), upper.start()}; }
};

struct SideAnswer {
    SideResult execution;
    std::int64_t nodes = 0;
    bool solver_used = false;
};

Pipeline pipeline_of(const Problem& problem, Side side, std::int64_t buffer_entries) {
    return Pipeline{*problem.request.function, *problem.request.architecture,
                    problem.timings,           buffer_entries,
                    problem.buffer_drain,      side};
}

/// The path problem of a span. `rules`: of both sides, for the same machine.
PathGraph path_graph_of(const Problem& problem, const SidePair& rules, Side side,
                        const std::vector<bool>& never, const Span& span,
                        const RelativeState& from) {
    const auto& graph = *problem.request.graph;
    const std::size_t limit = nodes_per_block(problem.request);
    if (side == Side::Lower) return build_state_graph(graph, rules.lower, never, limit, span);
    return build_chain_graph(graph, rules.upper,
                             outstanding(graph, rules.lower, rules.upper, never, span, from), never,
                             limit, span);
}

Result<SideAnswer> solve_side(const Problem& problem, const SidePair& rules, Side side,
                              std::optional<std::chrono::steady_clock::time_point> deadline) {
    const Request& request = problem.request;
    const Pipeline& pipeline = rules.of(side);
    const PathGraph paths = path_graph_of(problem, rules, side, problem.facts.never,
                                          whole_run(*request.graph, pipeline), rules.start());
    SideAnswer answer;
    answer.nodes = static_cast<std::int64_t>(paths.nodes.size());
    SideResult& execution = answer.execution;
    std::optional<BlockPath> witness;
    if (has_further_facts(request)) {
        FactPathResult solved = solve_with_facts(*request.graph, paths, problem.facts.loops,
                                                 *request.facts, side, deadline, request.seed);
        if (!solved.feasible) return contradiction(request);
        execution.proved = models::Cycles{solved.bound};
        execution.proof = solved.proof;
        if (!solved.optimal) execution.outcome = Outcome::LimitReached;
        answer.solver_used = solved.solver_used;
        witness = std::move(solved.witness);
    } else {
        witness = StructuralPaths{*request.graph, paths, problem.facts.loops, side}.start_to_end();
        if (!witness) return contradiction(request);
        execution.proved = models::Cycles{witness->cost};
    }
    if (witness) describe_witness(*request.function, *request.graph, pipeline, *witness, execution);
    return answer;
}

/// From the issue of the first clock read to that of the last, by loop bounds alone. Absolute times
/// are forgotten at the first read; only what is outstanding then counts.
std::optional<models::Cycles> region_cost(const Problem& problem, const SidePair& rules,
                                          const ClockRegion& region, Side side) {
    const auto& graph = *problem.request.graph;
    const Outstanding before = outstanding(graph, rules.lower, rules.upper, problem.facts.never,
                                           whole_run(graph, rules.upper), rules.start());
    const auto& entry = before.entries[region.first_block];
    if (!entry) return std::nullopt;
    const RelativeState behind_first =
        behind(graph, rules.lower, rules.upper, *entry, region.first_block, region.first);
    const Span lower = span_of(graph, rules.lower, region, behind_first.lower);
    const Span upper = span_of(graph, rules.upper, region, behind_first.upper);
    const PathGraph paths =
        path_graph_of(problem, rules, side, outside(graph, problem.facts.never, region),
                      side == Side::Lower ? lower : upper, {lower.state, upper.state});
    const auto best = StructuralPaths{graph, paths, problem.facts.loops, side}.start_to_end();
    if (!best) return std::nullopt;
    return models::Cycles{best->cost};
}

/// The measured time adds the latency of the last read and takes away that of the first (C3).
std::optional<Envelope> measured_envelope(const Problem& problem, const SidePair& rules,
                                          const ClockRegion& region) {
    const auto lower = region_cost(problem, rules, region, Side::Lower);
    const auto upper = region_cost(problem, rules, region, Side::Upper);
    if (!lower || !upper) return std::nullopt;
    const auto& first = problem.timings[region.first].value().latency;
    const auto& last = problem.timings[region.last].value().latency;
    Envelope envelope;
    envelope.lower.proved = *lower + models::Cycles{last.lo} - models::Cycles{first.hi};
    envelope.upper.proved = *upper + models::Cycles{last.hi} - models::Cycles{first.lo};
    return envelope;
}

Result<Analysis> solve(const Request& request) {
    auto prepared = prepare(request);
    if (!prepared) return prepared.as_failure();
    const Problem& problem = prepared.value();
    Analysis analysis;
    // The lower side gets half of the time, the upper side what is left.
    std::optional<std::chrono::steady_clock::time_point> half;
    if (problem.deadline) {
        const auto now = std::chrono::steady_clock::now();
        half = now + (*problem.deadline - now) / 2;
    }
    // A larger write buffer waits less.
    const models::Interval& entries = problem.buffer_entries;
    const SidePair largest{pipeline_of(problem, Side::Lower, entries.hi),
                           pipeline_of(problem, Side::Upper, entries.hi)};
    const auto lower = solve_side(problem, largest, Side::Lower, half);
    if (!lower) return lower.as_failure();
    const std::int64_t fewest = std::min(entries.lo, Pipeline::tracked_entries);
    const SidePair smallest{pipeline_of(problem, Side::Lower, fewest),
                            pipeline_of(problem, Side::Upper, fewest)};
    const auto upper = solve_side(problem, smallest, Side::Upper, problem.deadline);
    if (!upper) return upper.as_failure();
    analysis.execution_time = {lower.value().execution, upper.value().execution};

    const RegionSearch search =
        find_clock_region(*request.function, *request.graph, problem.facts.never);
    analysis.measured_time_absent = search.absent;
    if (search.region && entries.is_exact() && entries.hi == fewest)
        analysis.measured_time = measured_envelope(problem, smallest, *search.region);
    else if (search.region)
        analysis.measured_time_absent = "the size of the write buffer is not one small number";
    analysis.assumptions = assumptions_of(request, problem.timings, problem.used);
    analysis.state_nodes = lower.value().nodes + upper.value().nodes;
    if (lower.value().solver_used || upper.value().solver_used) analysis.solver = solver_version();
    return analysis;
}

constexpr std::array<std::string_view, 3> proof_names{"structural-path", "exact-lp",
                                                      "z3-refutation"};
constexpr std::array<std::string_view, 8> category_names{
    "issue",        "control-transfer", "register-dependence", "scoreboard", "port",
    "write-buffer", "barrier",          "completion"};
constexpr std::array<std::string_view, 4> status_names{"proved", "measured", "reviewed",
                                                       "unchecked"};

} // namespace

std::string_view to_string(Proof proof) {
    return proof_names[static_cast<std::size_t>(proof)];
}
std::string_view to_string(StackCategory category) {
    return category_names[static_cast<std::size_t>(category)];
}
std::string_view to_string(AssumptionStatus status) {
    return status_names[static_cast<std::size_t>(status)];
}

Result<Analysis> analyze(const Request& request) {
    try {
        return solve(request);
    } catch (const std::overflow_error&) {
        // The flow facts allow more cycles than can be counted: the input is refused, no number
        // wraps around.
        return Failure{fmt::format("the time of {} under these flow facts exceeds 2^63 cycles",
                                   request.function->name),
                       request.facts->name};
    }
}

} // namespace warpbound::analyzer

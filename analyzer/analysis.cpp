#include "analyzer/analysis.hpp"

#include "analyzer/assumptions.hpp"
#include "analyzer/fact_paths.hpp"
#include "analyzer/flow_facts.hpp"
#include "analyzer/flow_solver.hpp"
#include "analyzer/measured_time.hpp"
#include "analyzer/witness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    ClockRegion region;
    bool has_region = false;
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
            (instruction.has_modifier("ARV") ||
             (!instruction.has_modifier("RED") && instruction.operands.size() > 1)))
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
    if (request.policy != "lrr")
        return Failure{fmt::format("policy '{}' is not known; lrr (loose round robin) was expected",
                                   request.policy),
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
        {},
        false,
        std::nullopt};
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
        problem.buffer_entries = entries.value();
        problem.buffer_drain = drain.value();
    }
    if (request.time_limit)
        problem.deadline =
            std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(*request.time_limit);
    return problem;
}

bool has_further_facts(const Request& request) {
    return !request.facts->exclusives.empty() || !request.facts->constraints.empty();
}

/// How many pipeline states are kept apart per block: all in small kernels, few in large ones.
std::size_t states_per_block(const Request& request) {
    const std::size_t blocks = std::max<std::size_t>(1, request.graph->blocks.size());
    const std::size_t nodes = has_further_facts(request) ? 4'000 : 40'000;
    const std::size_t most = has_further_facts(request) ? 16 : 96;
    return std::clamp<std::size_t>(nodes / blocks, 1, most);
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

struct SideAnswer {
    SideResult execution;
    std::optional<std::int64_t> region;
    std::int64_t nodes = 0;
    bool solver_used = false;
};

Result<SideAnswer> solve_side(const Problem& problem, Side side) {
    const Request& request = problem.request;
    const Pipeline pipeline{
        *request.function,
        *request.architecture,
        problem.timings,
        side == Side::Upper ? problem.buffer_entries.lo : problem.buffer_entries.hi,
        problem.buffer_drain,
        side};
    const StateGraph states =
        build_state_graph(*request.graph, pipeline, problem.facts.never, states_per_block(request));
    const StructuralPaths paths{*request.graph, states, problem.facts.loops, side};
    auto best = paths.entry_to_end();
    if (!best) return contradiction(request);
    SideAnswer answer;
    answer.nodes = static_cast<std::int64_t>(states.nodes.size());
    answer.execution.proved = models::Cycles{best->cost};
    if (problem.has_region)
        answer.region = region_cost(*request.graph, states, pipeline, paths, problem.region);
    if (has_further_facts(request)) {
        answer.solver_used = true;
        FactPathResult solved =
            solve_with_facts(*request.graph, states, problem.facts.loops, *request.facts, side,
                             best->cost, problem.deadline, request.seed);
        if (!solved.feasible) return contradiction(request);
        answer.execution.proved = models::Cycles{solved.bound};
        if (solved.by_relaxation)
            answer.execution.proof = solved.by_refutation ? Proof::Refutation : Proof::ExactLp;
        if (!solved.optimal) answer.execution.outcome = Outcome::LimitReached;
        best = std::move(solved.witness);
    }
    if (best)
        describe_witness(*request.function, *request.graph, states, pipeline, *best,
                         answer.execution);
    return answer;
}

/// The measured time adds the latency of the last read and takes away that of the first (C3).
Envelope measured_envelope(const Problem& problem, std::int64_t lower, std::int64_t upper) {
    const auto& first = problem.timings[problem.region.first].value().latency;
    const auto& last = problem.timings[problem.region.last].value().latency;
    Envelope envelope;
    envelope.lower.proved =
        models::Cycles{lower} + models::Cycles{last.lo} - models::Cycles{first.hi};
    envelope.upper.proved =
        models::Cycles{upper} + models::Cycles{last.hi} - models::Cycles{first.lo};
    return envelope;
}

Result<Analysis> solve(const Request& request) {
    auto prepared = prepare(request);
    if (!prepared) return prepared.as_failure();
    Problem& problem = prepared.value();
    Analysis analysis;
    const RegionSearch search =
        find_clock_region(*request.function, *request.graph, problem.facts.never);
    problem.has_region = search.region.has_value();
    if (search.region) problem.region = *search.region;
    analysis.measured_time_absent = search.absent;
    const auto lower = solve_side(problem, Side::Lower);
    if (!lower) return lower.as_failure();
    const auto upper = solve_side(problem, Side::Upper);
    if (!upper) return upper.as_failure();
    analysis.execution_time = {lower.value().execution, upper.value().execution};
    if (lower.value().region && upper.value().region)
        analysis.measured_time =
            measured_envelope(problem, *lower.value().region, *upper.value().region);
    analysis.assumptions = assumptions_of(request, problem.timings, problem.used);
    analysis.state_nodes = lower.value().nodes + upper.value().nodes;
    if (upper.value().solver_used) analysis.solver = solver_version();
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

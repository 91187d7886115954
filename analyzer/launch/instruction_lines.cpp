#include "analyzer/launch/instruction_lines.hpp"

#include "analyzer/launch/first_uses.hpp"
#include "analyzer/launch/lines_of_warps.hpp"
#include "analyzer/launch/representative_flow.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace warpbound::analyzer {

namespace {

using models::Interval;

/// Reads the group `fetch`; keeps the first failure.
class FetchValues {
public:
    explicit FetchValues(const models::Architecture& architecture) : architecture_{architecture} {}

    Interval interval(const char* name) {
        const auto found = models::require(architecture_, architecture_.fetch, "fetch", name);
        if (found) return found.value();
        if (!failure_) failure_ = found.error();
        return {1, std::nullopt, 1};
    }
    /// Each end lies between `least` and `most`.
    Interval within(const char* name, std::int64_t least, std::int64_t most) {
        const Interval value = interval(name);
        const bool fits = value.lo >= least && value.hi <= most;
        if (!fits) refuse(name, value, fmt::format("{} to {}", least, most));
        return fits ? value : Interval{1, std::nullopt, 1};
    }
    std::int64_t number(const char* name) {
        const Interval value = within(name, 1, most_);
        if (!value.is_exact()) refuse(name, value, "one number");
        return value.lo;
    }
    /// The fewest lines that a cache may have.
    std::int64_t fewest_lines(const char* sets, const char* ways) {
        return models::times(number(sets), within(ways, 1, most_).lo);
    }
    /// How many lines a miss may request behind its own.
    Interval streamed() { return within("stream", 0, most_); }
    bool is_warm() {
        if (architecture_.fetch.find("warm") == nullptr) return false;
        return within("warm", 0, 1).lo == 1;
    }
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    static constexpr std::int64_t most_ = std::int64_t{1} << 30U;

    void refuse(const char* name, const Interval& value, std::string_view expected) {
        if (!failure_)
            failure_ = Failure{
                fmt::format("fetch/{} is {}..{}; expected {}", name, value.lo, value.hi, expected),
                architecture_.name};
    }

    const models::Architecture& architecture_;
    std::optional<Failure> failure_;
};

/// From the first to the last line: the text has no holes, so that the lines fall on the sets in
/// turn.
std::int64_t lines_of_text(const assembly::Function& function, std::int64_t line) {
    if (function.instructions.empty()) return 0;
    return function.instructions.back().address / line -
           function.instructions.front().address / line + 1;
}

/// Where every warp of the launch has a representative, some lane of each takes one of its paths.
std::vector<std::int64_t> lines_of_some_warps(const Request& request, std::int64_t line) {
    const assembly::ControlFlowGraph possible = possible_flow(*request.graph, *request.facts);
    const auto& fact = request.facts->representative;
    if (!fact || fact->blocks() < request.launch.blocks)
        return avoidable_lines(*request.function, possible, line);
    return avoidable_lines(*request.function, representative_flow(possible, *fact), line);
}

/// Of these, by the indices of threads where guards hold by the code (S97).
std::int64_t avoidable_count(const Request& request, const LaunchGeometry& shape,
                             std::int64_t line) {
    const std::vector<std::int64_t> lines = lines_of_some_warps(request, line);
    const auto all = static_cast<std::int64_t>(lines.size());
    if (!request.follow_branches && !request.follow_guards) return all;
    return unless_stopped([&] { return lines_left_to_others(request, shape, line, lines); })
        .value_or(all);
}

/// In the L1, requests of each other warp of the multiprocessor may be served first, those that its
/// last miss streamed included. Those of an earlier miss are served by then. A warp alone may wait
/// for what its own last miss streamed.
Result<std::int64_t> longest_queueing(const Request& request, const LaunchGeometry& shape,
                                      const InstructionLines& lines) {
    const models::Warps warps = shape.most_resident_warps();
    const std::int64_t group = models::times(lines.service.hi, lines.stream.hi + 1);
    const bool outlasts_its_miss = lines.l0_miss.lo < group;
    if (warps == models::Warps{1}) return outlasts_its_miss ? group : 0;
    if (outlasts_its_miss)
        return Failure{fmt::format("fetch/l0-miss of architecture {} may be {}; expected at least "
                                   "{}, the time in which the L1 serves the requests of a miss "
                                   "(fetch/l1-service and fetch/stream)",
                                   request.architecture->name, lines.l0_miss.lo, group),
                       request.architecture->name};
    return times(group, warps - models::Warps{1});
}

/// Lines from the first to the last instruction of a loop.
std::int64_t lines_of_loop(const Request& request, const assembly::Loop& loop, std::int64_t line) {
    const auto& instructions = request.function->instructions;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = 0;
    for (const std::size_t block : loop.blocks) {
        first = std::min(first, instructions[request.graph->blocks[block].first].address / line);
        last = std::max(last, instructions[request.graph->blocks[block].last].address / line);
    }
    return last - first + 1;
}

/// The outermost loops that fit, of which the entry is not a part: a traversal then begins with an
/// edge.
std::vector<LoopLines> persistent_loops(const Request& request, std::int64_t line,
                                        std::int64_t l0_lines) {
    const auto& loops = request.graph->loops;
    std::vector<LoopLines> found;
    std::vector<bool> is_inside(loops.size(), false);
    for (std::size_t loop = 0; loop < loops.size(); ++loop) { // Outer loops come first.
        is_inside[loop] = loops[loop].parent && is_inside[*loops[loop].parent];
        if (is_inside[loop] || loops[loop].header == 0) continue;
        const std::int64_t count = lines_of_loop(request, loops[loop], line);
        if (count > l0_lines) continue;
        is_inside[loop] = true;
        found.push_back({loop, count});
    }
    return found;
}

/// Where a look-up may follow an instruction outside of the loops whose lines persist.
struct LookUps {
    std::vector<bool> when_taken;     ///< Per instruction: after a transfer of control.
    std::vector<bool> when_following; ///< After it fell through, if the line changes.
};

LookUps look_ups_outside_loops(const Request& request, const InstructionLines& lines) {
    const assembly::ControlFlowGraph& graph = *request.graph;
    std::vector<std::optional<std::size_t>> loop_of(graph.blocks.size());
    for (const LoopLines& one : lines.loops)
        for (const std::size_t block : graph.loops[one.loop].blocks)
            loop_of[block] = one.loop;
    const std::size_t size = request.function->instructions.size();
    LookUps look_ups{std::vector<bool>(size, false), std::vector<bool>(size, false)};
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        const assembly::BasicBlock& code = graph.blocks[block];
        for (std::size_t i = code.first; i < code.last; ++i)
            if (!loop_of[block]) look_ups.when_following[i] = true;
        for (const std::size_t index : code.out) {
            const assembly::Edge& edge = graph.edges[index];
            if (loop_of[block] && loop_of[block] == loop_of[edge.to]) continue;
            const bool is_taken = edge.kind == assembly::EdgeKind::Taken;
            (is_taken ? look_ups.when_taken : look_ups.when_following)[code.last] = true;
        }
    }
    // Where lanes diverge, those that wait elsewhere may go on after the end of a block (C41).
    if (!request.facts->divergents.empty())
        for (const assembly::BasicBlock& code : graph.blocks)
            look_ups.when_taken[code.last] = true;
    return look_ups;
}

} // namespace

bool lines_persist_in_l0(const Request& request) {
    FetchValues values{*request.architecture};
    const std::int64_t lines = lines_of_text(*request.function, values.number("line"));
    const bool persist = lines <= values.fewest_lines("l0-sets", "l0-ways");
    return persist && !values.failure();
}

Result<std::optional<InstructionLines>>
instruction_lines(const Request& request, const LaunchGeometry& shape, bool has_barriers) {
    const models::Architecture& architecture = *request.architecture;
    if (!architecture.has_instruction_caches()) return std::optional<InstructionLines>{};
    FetchValues values{architecture};
    InstructionLines lines;
    lines.line = values.number("line");
    lines.stream = values.streamed();
    lines.l0_miss = values.interval("l0-miss");
    lines.l1_miss = values.interval("l1-miss");
    lines.service = values.interval("l1-service");
    const std::int64_t l0_lines = values.fewest_lines("l0-sets", "l0-ways");
    const std::int64_t l1_lines = values.fewest_lines("l1-sets", "l1-ways");
    lines.are_warm = values.is_warm();
    if (values.failure()) return *values.failure();
    lines.count = lines_of_text(*request.function, lines.line);
    lines.persist_in_l0 = lines.count <= l0_lines;
    lines.persist_in_l1 = models::plus(lines.count, lines.stream.hi) <= l1_lines;
    if (lines.persist_in_l0) {
        lines.avoidable = avoidable_count(request, shape, lines.line);
        return std::optional{lines};
    }
    const auto queueing = longest_queueing(request, shape, lines);
    if (!queueing) return queueing.as_failure();
    // What other warps of the scheduler execute may replace lines of a loop, and at a barrier the
    // critical path may change to a warp whose traversal misses them again.
    const bool is_alone = shape.on_one_scheduler(shape.most_resident_warps()) == models::Warps{1} &&
                          (shape.has_one_warp() || !has_barriers);
    if (is_alone && request.facts->divergents.empty())
        lines.loops = persistent_loops(request, lines.line, l0_lines);
    lines.wait = models::plus(models::plus(queueing.value(), lines.l0_miss.hi),
                              lines.persist_in_l1 ? 0 : lines.l1_miss.hi);
    return std::optional{lines};
}

void add_line_waits(const Request& request, const InstructionLines& lines,
                    std::vector<Result<models::InstructionTiming>>& timings) {
    if (lines.wait == 0) return;
    const auto& instructions = request.function->instructions;
    const LookUps look_ups = look_ups_outside_loops(request, lines);
    const bool may_diverge = !request.facts->divergents.empty();
    const auto lengthen = [&](Interval& gap) { gap.hi = std::max(gap.hi, lines.wait); };
    for (std::size_t i = 0; i < timings.size(); ++i) {
        if (!timings[i]) continue;
        models::InstructionTiming& timing = timings[i].value();
        const bool crosses =
            i + 1 < instructions.size() &&
            instructions[i].address / lines.line != instructions[i + 1].address / lines.line;
        const bool follows = look_ups.when_following[i] && crosses;
        if (follows || (may_diverge && look_ups.when_taken[i])) lengthen(timing.gap);
        if (follows || look_ups.when_taken[i]) lengthen(timing.gap_taken);
    }
}

void add_first_waits_of_loops(const assembly::ControlFlowGraph& graph,
                              const InstructionLines& lines, PathGraph& paths) {
    for (const LoopLines& one : lines.loops) {
        const assembly::Loop& loop = graph.loops[one.loop];
        const models::Cycles waits = models::Cycles{lines.wait} * one.count;
        for (PathNode& node : paths.nodes) {
            if (has_block(loop, node.block)) continue;
            for (PathEdge& edge : node.successors)
                if (paths.nodes[edge.to].block == header_block(loop))
                    edge.cost = (models::Cycles{edge.cost} + waits).count();
        }
    }
}

} // namespace warpbound::analyzer

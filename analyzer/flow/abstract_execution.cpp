#include "analyzer/flow/abstract_execution.hpp"

#include "analyzer/flow/shrinking_loops.hpp"
#include "analyzer/value/branch_conditions.hpp"
#include "assembly/flow/backward_slice.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::EdgeKind;
using assembly::Function;
using assembly::Instruction;

/// How often ranges grow to a number of the code before they become unknown.
constexpr int rounds_of_thresholds = 4;
/// A state on an edge.
using EdgeStates = std::map<std::size_t, RangeRegisters>;

void add(EdgeStates& states, std::size_t edge, const RangeRegisters& state) {
    const auto [entry, inserted] = states.emplace(edge, state);
    if (!inserted) entry->second.join(state);
}

} // namespace

class AbstractExecution::Run {
public:
    Run(const Function& function, const ControlFlowGraph& graph,
        const std::set<assembly::Register>& shared, const std::vector<bool>& counted)
        : function_{function}, graph_{graph}, shared_{shared}, numbers_{deciding_registers(
                                                                   function, counted)},
          counted_{counted}, thresholds_{compared_numbers(function)},
          cost_of_a_state_{1 + static_cast<std::int64_t>(numbers_.size()) / 8} {
        const auto slices = assembly::control_slice(function, graph, counted);
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            auto& instructions = executed_of_.emplace_back();
            for (const std::size_t i : slices[block])
                instructions.emplace_back(i, range_operation_of(function.instructions[i]));
            forgotten_of_.push_back(written_besides(graph.blocks[block], slices[block]));
        }
    }

    /// `unbounded`: per loop, whether a bound is not sought.
    AbstractRun run(const RangesOfGeometry& geometry, ExecutionLimits limits,
                    std::vector<bool> unbounded) {
        geometry_ = geometry;
        limits_ = limits;
        const std::vector<bool> not_sought = unbounded;
        unbounded_ = std::move(unbounded);
        executed_ = 0;
        wasted_ = 0;
        counts_.assign(counted_.size(), 0);
        run_ = {};
        run_.reached.assign(graph_.blocks.size(), false);
        run_.taken.assign(graph_.edges.size(), false);
        run_.exits.assign(graph_.blocks.size(), false);
        run_.loops.resize(graph_.loops.size());
        entered_.assign(graph_.loops.size(), std::nullopt);
        execute_region(std::nullopt, 0, RangeRegisters{numbers_});
        for (std::size_t loop = 0; loop < run_.loops.size(); ++loop) {
            if (!unbounded_[loop]) continue;
            run_.loops[loop].reset();
            if (entered_[loop] && !not_sought[loop])
                run_.loops[loop] =
                    bound_by_measure(function_, graph_, loop, *entered_[loop], shared_);
        }
        return std::move(run_);
    }

    /// Instructions of the last run, and one for each of its blocks.
    [[nodiscard]] std::int64_t executed() const { return executed_; }
    /// Whether the last run entered the loop and found no bound.
    [[nodiscard]] bool is_unbounded(std::size_t loop) const { return unbounded_[loop]; }
    /// How often instructions may be executed in a run; those in loops without bounds and those
    /// that are not counted as often as one likes.
    [[nodiscard]] ExecutionCounts counts() const {
        ExecutionCounts counts = counts_;
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (!counted_[i]) counts[i] = uncounted;
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
            if (!unbounded_[loop]) continue;
            for (const std::size_t block : graph_.loops[loop].blocks)
                for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last;
                     ++i)
                    counts[i] = uncounted;
        }
        return counts;
    }

private:
    /// States that leave a region over its edges, and whether a thread may end in it.
    struct Outcome {
        EdgeStates leaving;
        bool ends = false;
    };

    /// Registers that hold at the block's end what an instruction outside the slice wrote.
    [[nodiscard]] std::set<assembly::Register>
    written_besides(const assembly::BasicBlock& code, const std::vector<std::size_t>& slice) const {
        std::set<assembly::Register> registers;
        for (std::size_t i = code.first; i <= code.last; ++i) {
            const bool executed = std::binary_search(slice.begin(), slice.end(), i);
            for (const assembly::Register reg : function_.instructions[i].effects.writes)
                if (executed)
                    registers.erase(reg);
                else if (numbers_.count(reg) != 0)
                    registers.insert(reg);
        }
        return registers;
    }

    [[nodiscard]] std::optional<std::size_t> headed_by(std::size_t block) const {
        const auto loop = graph_.innermost_loop[block];
        return loop && graph_.loops[*loop].header == block ? loop : std::nullopt;
    }
    [[nodiscard]] bool contains(std::optional<std::size_t> loop, std::size_t block) const {
        if (!loop) return true;
        const auto& blocks = graph_.loops[*loop].blocks;
        return std::binary_search(blocks.begin(), blocks.end(), block);
    }

    /// The blocks of a loop (none: of the function) once, from `first` on, inner loops traversed.
    /// Edges to the loop's header and out of it leave the region.
    Outcome execute_region(std::optional<std::size_t> region, std::size_t first,
                           const RangeRegisters& start) {
        Outcome outcome;
        std::map<std::size_t, RangeRegisters> pending{{first, start}}; // In reverse postorder.
        while (!pending.empty()) {
            check_stop("the abstract execution");
            const auto [block, state] = std::move(*pending.begin());
            pending.erase(pending.begin());
            const auto inner = headed_by(block);
            Outcome left =
                inner && inner != region ? traverse(*inner, state) : execute_block(block, state);
            outcome.ends = outcome.ends || left.ends;
            for (const auto& [edge, after] : left.leaving) {
                const std::size_t to = graph_.edges[edge].to;
                if ((region && to == graph_.loops[*region].header) || !contains(region, to)) {
                    add(outcome.leaving, edge, after);
                    continue;
                }
                const auto [entry, inserted] = pending.emplace(to, after);
                if (!inserted) entry->second.join(after);
            }
        }
        return outcome;
    }

    Outcome execute_block(std::size_t block, RangeRegisters state) {
        executed_ += cost_of_a_state_ + static_cast<std::int64_t>(executed_of_[block].size());
        run_.reached[block] = true;
        const auto& code = graph_.blocks[block];
        state.begin_block(shared_);
        const RangeRegisters::GeometryRanges geometry = [&](Geometry number) {
            return geometry_[static_cast<std::size_t>(number)];
        };
        std::size_t behind = code.first; // Instructions before it are counted.
        for (const auto& [i, operation] : executed_of_[block]) {
            count(behind, i, state);
            behind = i + 1;
            state.execute(function_.instructions[i], operation, geometry);
        }
        count(behind, code.last, state);
        state.forget(forgotten_of_[block]);
        const Instruction& last = function_.instructions[code.last];
        Outcome outcome;
        outcome.ends = code.exits && state.guard_of(last).value_or(true);
        run_.exits[block] = run_.exits[block] || outcome.ends;
        for (const std::size_t edge : code.out) {
            auto after = state_on(code, last, state, edge);
            if (!after) continue;
            run_.taken[edge] = true;
            outcome.leaving.emplace(edge, std::move(*after));
        }
        return outcome;
    }

    /// Counts the instructions from `first` to `last`, between which nothing is executed.
    void count(std::size_t first, std::size_t last, const RangeRegisters& state) {
        for (std::size_t i = first; i <= last && i < counted_.size(); ++i)
            if (counted_[i] && state.guard_of(function_.instructions[i]).value_or(true))
                ++counts_[i];
    }

    /// Guard and operand of the last instruction alone decide between the two edges of the block.
    [[nodiscard]] bool has_two_targets(const assembly::BasicBlock& code,
                                       const Instruction& last) const {
        const bool has_target = last.control_flow == ControlFlow::Branch ||
                                last.control_flow == ControlFlow::Call; // Else falls through.
        if (!has_target || assembly::asks_other_lanes(last) || code.out.size() != 2 ||
            graph_.edges[code.out[0]].kind == graph_.edges[code.out[1]].kind)
            return false;
        return last.operands.size() == 1 ? !assembly::has_predicate_operand(last)
                                         : assembly::deciding_operand(last) != nullptr;
    }

    /// The state of a thread that takes the edge; nothing where none can.
    [[nodiscard]] std::optional<RangeRegisters> state_on(const assembly::BasicBlock& code,
                                                         const Instruction& last,
                                                         const RangeRegisters& state,
                                                         std::size_t edge) const {
        RangeRegisters after = state;
        const auto assumed = [&](bool possible) {
            return possible ? std::optional{std::move(after)} : std::nullopt;
        };
        if (last.control_flow == ControlFlow::Exit && code.exits)
            return assumed(last.guard && after.assume(last.guard->predicate, false));
        if (!has_two_targets(code, last)) return after;
        const auto* operand = assembly::deciding_operand(last);
        if (graph_.edges[edge].kind == EdgeKind::Taken)
            return assumed((!last.guard || after.assume(last.guard->predicate, true)) &&
                           (operand == nullptr || after.assume(*operand, true)));
        // One of the two does not hold; known is which, where the other does.
        const bool guard_holds = state.guard_of(last).value_or(false);
        if (operand == nullptr)
            return assumed(last.guard && after.assume(last.guard->predicate, false));
        if (guard_holds) return assumed(after.assume(*operand, false));
        if (last.guard && state.truth(*operand).value_or(false))
            return assumed(after.assume(last.guard->predicate, false));
        return after;
    }

    /// From one entry of the loop from outside until it is left.
    Outcome traverse(std::size_t loop, RangeRegisters state) {
        const std::size_t header = graph_.loops[loop].header;
        const std::int64_t before = executed_ - wasted_;
        if (entered_[loop])
            entered_[loop]->join(state);
        else
            entered_[loop] = state;
        Outcome all;
        std::optional<std::int64_t> least;
        // Where some entry had no bound, iterations are not worth counting.
        for (std::int64_t iteration = 1; !unbounded_[loop]; ++iteration) {
            auto next = iterate(loop, state, all);
            if (!least && (all.ends || !all.leaving.empty())) least = iteration;
            if (!next) {
                record(loop, least.value_or(iteration), iteration);
                return all;
            }
            if (executed_ > limits_.of_all || executed_ - wasted_ - before > limits_.of_an_entry ||
                *next == state)
                break;
            state = std::move(*next);
        }
        // No bound: what may change grows to the numbers that the code compares with, or becomes
        // unknown, until nothing changes any more.
        unbounded_[loop] = true;
        wasted_ = executed_ - before;
        int round = 0;
        for (bool changed = true; changed; ++round) {
            const auto next = iterate(loop, state, all);
            RangeRegisters widened = state;
            if (next)
                widened.widen(*next, round < rounds_of_thresholds ? thresholds_ : no_thresholds_);
            changed = !(widened == state);
            state = std::move(widened);
        }
        run_.reached[header] = true;
        return all;
    }

    /// One iteration: adds to `all` what leaves the loop; returns the state of the next iteration,
    /// if there may be one.
    std::optional<RangeRegisters> iterate(std::size_t loop, const RangeRegisters& state,
                                          Outcome& all) {
        const std::size_t header = graph_.loops[loop].header;
        Outcome outcome = execute_region(loop, header, state);
        std::optional<RangeRegisters> next;
        all.ends = all.ends || outcome.ends;
        for (auto& [edge, after] : outcome.leaving) {
            if (graph_.edges[edge].to != header)
                add(all.leaving, edge, after);
            else if (next)
                next->join(after);
            else
                next = std::move(after);
        }
        return next;
    }

    void record(std::size_t loop, std::int64_t least, std::int64_t most) {
        auto& bound = run_.loops[loop];
        if (!bound) bound = DerivedLoop{least, most, {}};
        bound->min = std::min(bound->min, least);
        bound->max = std::max(bound->max, most);
        bound->reason = fmt::format(
            "abstract execution leaves the loop in iteration {}{}",
            bound->min == bound->max ? "" : fmt::format("{} to ", bound->min), bound->max);
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const std::set<assembly::Register>& shared_;
    RegisterNumbers numbers_;
    const std::vector<bool> counted_; ///< Per instruction; empty: none.
    ExecutionCounts counts_;
    std::vector<std::int32_t> thresholds_;
    std::vector<std::int32_t> no_thresholds_;
    RangesOfGeometry geometry_;
    ExecutionLimits limits_;
    std::vector<bool> unbounded_;  ///< Per loop: some entry has no bound.
    std::int64_t cost_of_a_state_; ///< Of a copy and a join, in instructions.
    std::int64_t executed_ = 0;    ///< Instructions, and what the state of each block costs.
    std::int64_t wasted_ = 0;      ///< Those of entries that have no bound.
    /// Per block: its instructions that matter, and what they compute.
    std::vector<std::vector<std::pair<std::size_t, RangeOperation>>> executed_of_;
    /// Per block: registers of which only what others write to them matters.
    std::vector<std::set<assembly::Register>> forgotten_of_;
    AbstractRun run_;
    std::vector<std::optional<RangeRegisters>> entered_; ///< Per loop: what its entries bring.
};

namespace {

void narrow_to(const IndexBox& box, RangesOfGeometry& ranges) {
    const auto narrow = [&](Geometry x, const std::array<std::int64_t, 3>& first,
                            const std::array<std::int64_t, 3>& last) {
        for (std::size_t dimension = 0; dimension < first.size(); ++dimension)
            ranges[static_cast<std::size_t>(x) + dimension] =
                ValueRange::between(static_cast<std::uint64_t>(first[dimension]),
                                    static_cast<std::uint64_t>(last[dimension]));
    };
    narrow(Geometry::ThreadX, box.first_thread, box.last_thread);
    ValueRange& x = ranges[static_cast<std::size_t>(Geometry::ThreadX)];
    if (box.low_bits_of_x > 0) x = x.with_low_bits(box.low_bits_of_x);
    if (box.first_block) narrow(Geometry::BlockX, *box.first_block, box.last_block);
}

} // namespace

RangesOfGeometry ranges_of_geometry(const models::Launch& launch) {
    RangesOfGeometry ranges;
    for (std::size_t number = 0; number < ranges.size(); ++number) {
        const Subject subject{Subject::Kind::Number,
                              AffineExpression::of(symbol_of(static_cast<Geometry>(number))),
                              AffineExpression{}};
        const auto ends = range_of(subject, launch).ends();
        ranges[number] = ValueRange::between(ends.first, ends.second);
    }
    return ranges;
}

RangesOfGeometry ranges_of_geometry(const models::Launch& launch, const IndexBox& box) {
    RangesOfGeometry ranges = ranges_of_geometry(launch);
    narrow_to(box, ranges);
    return ranges;
}

AbstractExecution::AbstractExecution(const Function& function, const ControlFlowGraph& graph,
                                     const std::set<assembly::Register>& shared,
                                     const std::vector<bool>& counted)
    : run_{std::make_unique<Run>(function, graph, shared, counted)} {}

AbstractExecution::~AbstractExecution() = default;

AbstractRun AbstractExecution::run(const RangesOfGeometry& geometry, ExecutionLimits limits,
                                   std::vector<bool> not_sought) {
    return run_->run(geometry, limits, std::move(not_sought));
}

std::int64_t AbstractExecution::executed() const {
    return run_->executed();
}

bool AbstractExecution::is_unbounded(std::size_t loop) const {
    return run_->is_unbounded(loop);
}

ExecutionCounts AbstractExecution::counts() const {
    return run_->counts();
}

AbstractRun execute_abstractly(const Function& function, const ControlFlowGraph& graph,
                               const models::Launch& launch,
                               const std::set<assembly::Register>& shared, const IndexBox* box) {
    return AbstractExecution{function, graph, shared}.run(
        box == nullptr ? ranges_of_geometry(launch) : ranges_of_geometry(launch, *box), {},
        std::vector<bool>(graph.loops.size(), false));
}

} // namespace warpbound::analyzer

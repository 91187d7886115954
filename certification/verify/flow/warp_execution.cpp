#include "certification/verify/flow/warp_execution.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/flow/held_numbers.hpp"
#include "certification/verify/flow/instruction_forms.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;
using assembly::Register;
using assembly::RegisterOperand;

/// How far runs are followed.
struct RunLimits {
    std::size_t states = 1; ///< At one point, kept apart.
    /// Instructions and blocks: of one entry of a loop, and in all.
    std::int64_t of_an_entry = std::int64_t{1} << 15;
    std::int64_t in_all = std::int64_t{1} << 16;
};
constexpr RunLimits of_parts{16, std::int64_t{1} << 14, std::int64_t{1} << 15};
constexpr std::int64_t most_work_of_all_parts = std::int64_t{1} << 16;
constexpr int most_extensions = 5; ///< Until what a loop without a bound changes is unknown.

DecidingCode deciding_code(const Function& function) {
    std::set<Register> decide;
    for (const Instruction& instruction : function.instructions) {
        if (instruction.guard && instruction.guard->predicate.index)
            decide.insert({instruction.guard->predicate.file, *instruction.guard->predicate.index});
        if (instruction.control_flow != assembly::ControlFlow::None)
            decide.insert(instruction.effects.reads.begin(), instruction.effects.reads.end());
    }
    std::vector<bool> found(function.instructions.size(), false);
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto& effects = function.instructions[i].effects;
            const bool writes_some =
                !effects.writes_known ||
                std::any_of(effects.writes.begin(), effects.writes.end(),
                            [&](Register reg) { return decide.count(reg) != 0; });
            if (found[i] || !writes_some) continue;
            found[i] = grows = true;
            decide.insert(effects.reads.begin(), effects.reads.end());
        }
    }
    return {std::move(decide), std::move(found)};
}

/// Numbers that the code compares with, those next to them, and the ends of all numbers.
std::vector<std::int64_t> limits_of_comparisons(const Function& function) {
    std::set<std::int64_t> limits{std::numeric_limits<std::int32_t>::min(), -1, 0, 1,
                                  std::numeric_limits<std::int32_t>::max()};
    for (const Instruction& instruction : function.instructions) {
        const auto form = compare_form(instruction);
        if (!form) continue;
        for (const assembly::Operand* side : {form->left, form->right})
            if (const auto* literal = std::get_if<assembly::ImmediateOperand>(side);
                literal != nullptr && literal->integer) {
                const std::int64_t number = static_cast<std::int32_t>(*literal->integer);
                if (number <= *limits.begin() || number >= *limits.rbegin()) continue;
                for (const std::int64_t near : {number - 1, number, number + 1})
                    limits.insert(near);
            }
    }
    return {limits.begin(), limits.end()};
}

/// Registers whose numbers are computed from indices, not from what memory holds. Only a guess
/// where threads take different paths: smaller boxes help where it is right.
std::set<Register> registers_of_indices(const Function& function) {
    std::set<Register> found;
    const auto depends = [&](const Instruction& instruction) {
        const auto is_index = [](const assembly::Operand& operand) {
            const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&operand);
            return special != nullptr &&
                   (special->name.starts_with("SR_TID") || special->name.starts_with("SR_CTAID"));
        };
        const auto& reads = instruction.effects.reads;
        return std::any_of(instruction.operands.begin(), instruction.operands.end(), is_index) ||
               std::any_of(reads.begin(), reads.end(),
                           [&](Register reg) { return found.count(reg) != 0; });
    };
    for (bool grows = true; grows;) {
        grows = false;
        for (const Instruction& instruction : function.instructions)
            if (!instruction.effects.memory && depends(instruction))
                for (const Register reg : instruction.effects.writes)
                    grows = found.insert(reg).second || grows;
    }
    return found;
}

/// The code, and one step through it.
class SteppedCode {
public:
    SteppedCode(const Function& function, const ControlFlowGraph& graph,
                const DecidingCode& decides)
        : function_{function}, graph_{graph}, decides_{decides},
          limits_{limits_of_comparisons(function)}, of_indices_{registers_of_indices(function)} {}

    [[nodiscard]] const ControlFlowGraph& graph() const { return graph_; }
    [[nodiscard]] const Instruction& at(std::size_t i) const { return function_.instructions[i]; }
    [[nodiscard]] bool decides(std::size_t i) const { return decides_.instructions[i]; }
    [[nodiscard]] const std::set<Register>& registers() const { return decides_.registers; }
    [[nodiscard]] const std::vector<std::int64_t>& limits() const { return limits_; }
    [[nodiscard]] bool is_of_indices(const RegisterOperand& predicate) const {
        return predicate.index && of_indices_.count({predicate.file, *predicate.index}) != 0;
    }

    /// What registers hold behind the instruction.
    void execute(std::size_t i, HeldNumbers& numbers) const {
        if (decides(i)) numbers.execute(at(i));
    }

    /// What registers hold where the edge is taken; none: it is not.
    [[nodiscard]] std::optional<HeldNumbers> behind(std::size_t edge, HeldNumbers numbers) const {
        const Instruction& last = at(graph_.blocks[graph_.edges[edge].from].last);
        for (const auto& [predicate, truth] : deciders_of(function_, graph_, edge)) {
            if (predicate->index && writes(last, {predicate->file, *predicate->index})) continue;
            if (!numbers.keep_where(*predicate, truth)) return std::nullopt;
        }
        return numbers;
    }

private:
    const Function& function_;
    const ControlFlowGraph& graph_;
    const DecidingCode& decides_;
    std::vector<std::int64_t> limits_;
    std::set<Register> of_indices_;
};

/// What threads hold that come to one point: each holds the numbers of one of them.
using HeldStates = std::vector<HeldNumbers>;

/// All runs of a warp's lanes, iteration by iteration.
class PossibleRuns {
public:
    PossibleRuns(const SteppedCode& code, const LaunchValues& launch, const RunLimits& limits = {})
        : code_{code}, limits_{limits},
          counts_(code.graph().blocks.empty() ? 0 : instructions(code), 0),
          has_no_bound_(code.graph().loops.size(), false),
          ways_{std::vector<bool>(code.graph().edges.size(), false),
                std::vector<bool>(code.graph().blocks.size(), false)} {
        region(std::nullopt, 0, {HeldNumbers{launch, code.registers()}});
    }

    [[nodiscard]] std::vector<std::optional<std::int64_t>> counts() const {
        std::vector<std::optional<std::int64_t>> known(counts_.size());
        if (is_exhausted()) return known;
        known.assign(counts_.begin(), counts_.end());
        for (std::size_t loop = 0; loop < has_no_bound_.size(); ++loop)
            for (const std::size_t block : code_.graph().loops[loop].blocks)
                for (std::size_t i = code_.graph().blocks[block].first;
                     has_no_bound_[loop] && i <= code_.graph().blocks[block].last; ++i)
                    known[i].reset();
        return known;
    }

    [[nodiscard]] PossibleWays ways() const {
        if (!is_exhausted()) return ways_;
        return {std::vector<bool>(ways_.edges.size(), true),
                std::vector<bool>(ways_.ends.size(), true)};
    }
    /// Whether no index decides between paths.
    [[nodiscard]] bool is_decided() const { return is_decided_ && !is_exhausted(); }
    [[nodiscard]] std::int64_t work() const { return work_; }

private:
    using ByEdge = std::map<std::size_t, HeldStates>;

    static std::size_t instructions(const SteppedCode& code) {
        std::size_t last = 0;
        for (const auto& block : code.graph().blocks)
            last = std::max(last, block.last);
        return last + 1;
    }
    [[nodiscard]] bool is_exhausted() const { return work_ > limits_.in_all; }
    [[nodiscard]] bool is_within(std::size_t loop, std::size_t block) const {
        const auto& blocks = code_.graph().loops[loop].blocks;
        return std::binary_search(blocks.begin(), blocks.end(), block);
    }
    [[nodiscard]] std::optional<std::size_t> loop_headed_by(std::size_t block) const {
        const auto& loops = code_.graph().loops;
        for (std::size_t loop = 0; loop < loops.size(); ++loop)
            if (loops[loop].header == block) return loop;
        return std::nullopt;
    }
    void add(HeldStates& to, const HeldNumbers& numbers) const {
        if (std::find(to.begin(), to.end(), numbers) != to.end()) return;
        if (to.size() < limits_.states)
            to.push_back(numbers);
        else
            to.back().join(numbers);
    }
    void add(HeldStates& to, const HeldStates& more) const {
        for (const HeldNumbers& numbers : more)
            add(to, numbers);
    }

    /// Once through the blocks of a loop, or of the function, from `first` on. Returns what leaves
    /// them or comes to the loop's header.
    ByEdge region(std::optional<std::size_t> loop, std::size_t first, const HeldStates& states) {
        ByEdge left;
        std::map<std::size_t, HeldStates> open{{first, states}}; // Blocks are in reverse postorder.
        while (!open.empty() && !is_exhausted()) {
            const auto next = open.extract(open.begin());
            const auto inner = loop_headed_by(next.key());
            const ByEdge after = inner && inner != loop ? whole_loop(*inner, next.mapped())
                                                        : block(next.key(), next.mapped());
            for (const auto& [edge, held] : after) {
                const std::size_t to = code_.graph().edges[edge].to;
                if (loop && (to == code_.graph().loops[*loop].header || !is_within(*loop, to)))
                    add(left[edge], held);
                else
                    add(open[to], held);
            }
        }
        return left;
    }

    /// Keeps apart the threads for which a predicate that the instruction reads holds, and the
    /// others.
    void keep_apart(std::size_t i, HeldStates& states) {
        if (limits_.states == 1) return;
        std::vector<const RegisterOperand*> predicates = sources_of(code_.at(i)).predicates;
        if (code_.at(i).guard) predicates.push_back(&code_.at(i).guard->predicate);
        for (const RegisterOperand* predicate : predicates) {
            if (!predicate->index || !is_predicate_file(predicate->file) ||
                code_.registers().count({predicate->file, *predicate->index}) == 0)
                continue;
            for (std::size_t state = 0, all = states.size(); state < all; ++state) {
                if (!states[state].may_be(*predicate, true) ||
                    !states[state].may_be(*predicate, false))
                    continue;
                if (code_.is_of_indices(*predicate)) is_decided_ = false;
                if (states.size() >= limits_.states) continue;
                HeldNumbers where_false = states[state];
                const bool may_fail = where_false.keep_where(*predicate, false);
                HeldNumbers where_true = states[state];
                if (where_true.keep_where(*predicate, true)) {
                    states[state] = std::move(where_true);
                    if (may_fail) states.push_back(std::move(where_false));
                } else if (may_fail) {
                    states[state] = std::move(where_false);
                }
            }
        }
    }

    ByEdge block(std::size_t number, HeldStates states) {
        const auto& code = code_.graph().blocks[number];
        ++work_;
        for (std::size_t i = code.first; i <= code.last; ++i) {
            if (code_.decides(i) || i == code.last) keep_apart(i, states);
            if (std::any_of(states.begin(), states.end(),
                            [&](HeldNumbers& numbers) { return numbers.may_execute(code_.at(i)); }))
                ++counts_[i];
            if (code_.decides(i)) work_ += static_cast<std::int64_t>(states.size());
            for (HeldNumbers& numbers : states)
                code_.execute(i, numbers);
        }
        ByEdge after;
        for (HeldNumbers& numbers : states) {
            if (code.exits && numbers.may_execute(code_.at(code.last))) ways_.ends[number] = true;
            for (const std::size_t edge : code.out)
                if (auto held = code_.behind(edge, numbers)) {
                    ways_.edges[edge] = true;
                    add(after[edge], *held);
                }
        }
        return after;
    }

    /// From one entry of the loop until it is left.
    ByEdge whole_loop(std::size_t loop, HeldStates states) {
        ByEdge left;
        const std::int64_t before = work_;
        while (!has_no_bound_[loop]) {
            HeldStates next = iteration(loop, states, left);
            if (next.empty() || is_exhausted()) return left;
            if (next == states || work_ - before > limits_.of_an_entry) has_no_bound_[loop] = true;
            states = std::move(next);
        }
        any_iteration(loop, std::move(states), left);
        return left;
    }

    /// From these on, however often the loop iterates.
    void any_iteration(std::size_t loop, HeldStates states, ByEdge& left) {
        HeldNumbers numbers = std::move(states.front());
        for (std::size_t i = 1; i < states.size(); ++i)
            numbers.join(states[i]);
        for (int round = 0; round < most_extensions; ++round) {
            HeldNumbers grown = numbers;
            for (const HeldNumbers& next : iteration(loop, {numbers}, left))
                grown.join(next);
            if (grown == numbers || is_exhausted()) return;
            grown.extend_beyond(numbers, code_.limits());
            numbers = std::move(grown);
        }
        for (const std::size_t block : code_.graph().loops[loop].blocks)
            drop_written(block, numbers);
        iteration(loop, {numbers}, left);
    }

    /// Adds what leaves the loop. Returns what the next iteration may begin with.
    HeldStates iteration(std::size_t loop, const HeldStates& states, ByEdge& left) {
        const std::size_t header = code_.graph().loops[loop].header;
        HeldStates next;
        for (const auto& [edge, held] : region(loop, header, states)) {
            if (code_.graph().edges[edge].to != header)
                add(left[edge], held);
            else
                add(next, held);
        }
        return next;
    }

    void drop_written(std::size_t block, HeldNumbers& numbers) const {
        const auto& code = code_.graph().blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i) {
            const auto& effects = code_.at(i).effects;
            if (!effects.writes_known) numbers.drop_all();
            for (const Register reg : effects.writes)
                numbers.forget(reg);
        }
    }

    const SteppedCode& code_;
    RunLimits limits_;
    std::vector<std::int64_t> counts_;
    std::vector<bool> has_no_bound_; ///< Per loop.
    PossibleWays ways_;
    bool is_decided_ = true;
    std::int64_t work_ = 0;
};

/// The index with the most values; none: the box is of one thread.
std::optional<std::size_t> widest_index(const ThreadBox& box) {
    std::size_t widest = 0;
    for (std::size_t i = 1; i < index_count; ++i)
        if (box.last.at(i) - box.first.at(i) > box.last.at(widest) - box.first.at(widest))
            widest = i;
    return box.last.at(widest) > box.first.at(widest) ? std::optional{widest} : std::nullopt;
}

} // namespace

WarpExecution::WarpExecution(const Function& function, const ControlFlowGraph& graph,
                             const models::Launch& launch, const std::set<Register>& of_others)
    : function_{function}, graph_{graph}, launch_{launch}, deciding_{deciding_code(function)} {
    for (const Register reg : of_others)
        deciding_.registers.erase(reg); // What they hold is not kept.
}

std::vector<std::optional<std::int64_t>> WarpExecution::most(const ThreadIndices& warp) const {
    const SteppedCode code{function_, graph_, deciding_};
    const LaunchValues values{function_, launch_, warp};
    auto counts = PossibleRuns{code, values}.counts();
    counts.resize(function_.instructions.size(), 0); // Of no block: never executed.
    return counts;
}

std::vector<std::int64_t> WarpExecution::least(const ThreadIndices& thread,
                                               std::int64_t instructions) const {
    const SteppedCode code{function_, graph_, deciding_};
    const LaunchValues values{function_, launch_, thread};
    std::vector<std::int64_t> counts(function_.instructions.size(), 0);
    HeldNumbers numbers{values, deciding_.registers};
    std::optional<std::size_t> block = 0;
    std::int64_t executed = 0;
    while (block && executed < instructions) {
        const auto& at = graph_.blocks[*block];
        for (std::size_t i = at.first; i <= at.last; ++i) {
            ++executed;
            if (numbers.must_execute(code.at(i))) ++counts[i];
            code.execute(i, numbers);
        }
        if (at.exits && numbers.may_execute(code.at(at.last))) break;
        std::vector<std::size_t> ways;
        std::optional<HeldNumbers> next;
        for (const std::size_t edge : at.out)
            if (auto held = code.behind(edge, numbers)) {
                ways.push_back(graph_.edges[edge].to);
                next = std::move(held);
            }
        block = ways.size() == 1 ? std::optional{ways.front()} : std::nullopt;
        if (block) numbers = std::move(*next);
    }
    return counts;
}

PossibleWays WarpExecution::ways(const ThreadBox& box) const {
    const SteppedCode code{function_, graph_, deciding_};
    const LaunchValues values{function_, launch_, box};
    return PossibleRuns{code, values}.ways();
}

std::vector<PossibleWays> WarpExecution::ways_of_parts(const ThreadBox& box) const {
    struct OpenPart {
        ThreadBox box;
        PossibleWays ways; ///< Of the box that it is a half of.
    };
    const SteppedCode code{function_, graph_, deciding_};
    std::vector<PossibleWays> parts;
    std::deque<OpenPart> open{{box, ways(box)}};
    std::int64_t work = 0;
    for (; !open.empty(); open.pop_front()) {
        OpenPart& part = open.front();
        if (work > most_work_of_all_parts) {
            parts.push_back(std::move(part.ways));
            continue;
        }
        const LaunchValues values{function_, launch_, part.box};
        const PossibleRuns runs{code, values, of_parts};
        work += runs.work();
        const auto index = widest_index(part.box);
        if (runs.is_decided() || !index) {
            parts.push_back(runs.ways());
            continue;
        }
        std::array<ThreadBox, 2> halves{part.box, part.box};
        const std::int64_t middle = (part.box.first.at(*index) + part.box.last.at(*index)) / 2;
        halves[0].last.at(*index) = middle;
        halves[1].first.at(*index) = middle + 1;
        for (const ThreadBox& half : halves)
            open.push_back({half, runs.ways()});
    }
    return parts;
}

PossibleWays WarpExecution::ways(const ThreadIndices& threads) const {
    const SteppedCode code{function_, graph_, deciding_};
    const LaunchValues values{function_, launch_, threads};
    return PossibleRuns{code, values}.ways();
}

} // namespace warpbound::certification::verify

#include "certification/verify/flow/warp_execution.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/flow/value_reader.hpp"

#include <algorithm>
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

/// Instructions and blocks: of one entry of a loop, and in all.
constexpr std::int64_t most_work_of_an_entry = std::int64_t{1} << 15;
constexpr std::int64_t most_work_of_a_warp = std::int64_t{1} << 16;

/// What registers hold at one point; anything where one is left out.
class HeldNumbers final : public ValueReader {
public:
    explicit HeldNumbers(const LaunchValues& launch) : launch_{&launch} {}

    NumberSet value(Register reg, ProgramPoint /*point*/) override {
        const auto known = numbers_.find(reg);
        return known == numbers_.end() ? anything(reg) : known->second;
    }
    [[nodiscard]] const LaunchValues& launch() const override { return *launch_; }

    void set(Register reg, const NumberSet& number) {
        if (number == anything(reg))
            numbers_.erase(reg);
        else
            numbers_.insert_or_assign(reg, number);
    }
    void forget(Register reg) { numbers_.erase(reg); }
    void drop_all() { numbers_.clear(); }
    /// To what either holds.
    void join(const HeldNumbers& other) {
        for (auto known = numbers_.begin(); known != numbers_.end();) {
            const auto at = other.numbers_.find(known->first);
            if (at != other.numbers_.end()) known->second = joined(known->second, at->second);
            const bool is_known =
                at != other.numbers_.end() && known->second != anything(known->first);
            known = is_known ? std::next(known) : numbers_.erase(known);
        }
    }
    /// Whether it is possible at all that the guard holds, or that it fails.
    bool may_be(const RegisterOperand& predicate, bool wanted) {
        return may_hold(wanted ? Order::NotEqual : Order::Equal, false, truth(predicate, {}),
                        NumberSet::of(0));
    }
    bool may_execute(const Instruction& instruction) {
        return !instruction.guard || may_be(instruction.guard->predicate, true);
    }
    bool must_execute(const Instruction& instruction) {
        return !instruction.guard || !may_be(instruction.guard->predicate, false);
    }

    friend bool operator==(const HeldNumbers& left, const HeldNumbers& right) {
        return left.numbers_ == right.numbers_;
    }

private:
    const LaunchValues* launch_;
    std::map<Register, NumberSet> numbers_;
};

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

/// The code, and one step through it.
class SteppedCode {
public:
    SteppedCode(const Function& function, const ControlFlowGraph& graph,
                const DecidingCode& decides)
        : function_{function}, graph_{graph}, decides_{decides} {}

    [[nodiscard]] const ControlFlowGraph& graph() const { return graph_; }
    [[nodiscard]] const Instruction& at(std::size_t i) const { return function_.instructions[i]; }
    [[nodiscard]] bool decides(std::size_t i) const { return decides_.instructions[i]; }

    /// What registers hold behind the instruction.
    void execute(std::size_t block, std::size_t i, HeldNumbers& numbers) const {
        const Instruction& instruction = at(i);
        if (!instruction.effects.writes_known) return numbers.drop_all();
        if (!decides(i) || !numbers.may_execute(instruction)) return;
        const bool is_sure = numbers.must_execute(instruction);
        std::vector<std::pair<Register, NumberSet>> results;
        for (const Register reg : instruction.effects.writes) {
            if (decides_.registers.count(reg) == 0) continue;
            const NumberSet result = result_of(instruction, reg, {block, i}, numbers);
            results.emplace_back(reg, is_sure ? result : joined(result, numbers.value(reg, {})));
        }
        for (const auto& [reg, result] : results)
            numbers.set(reg, result);
    }

    /// What registers hold where the edge is taken; none: it is not.
    [[nodiscard]] std::optional<HeldNumbers> behind(std::size_t edge, HeldNumbers numbers) const {
        const Instruction& last = at(graph_.blocks[graph_.edges[edge].from].last);
        for (const auto& [predicate, truth] : deciders_of(function_, graph_, edge)) {
            if (!numbers.may_be(*predicate, truth)) return std::nullopt;
            if (!predicate->index || !is_predicate_file(predicate->file)) continue;
            const Register reg{predicate->file, *predicate->index};
            if (!writes(last, reg) && decides_.registers.count(reg) != 0)
                numbers.set(reg, NumberSet::of(truth != predicate->negated ? 1U : 0U));
        }
        return numbers;
    }

private:
    const Function& function_;
    const ControlFlowGraph& graph_;
    const DecidingCode& decides_;
};

/// All runs of a warp's lanes, iteration by iteration.
class PossibleRuns {
public:
    PossibleRuns(const SteppedCode& code, const LaunchValues& launch)
        : code_{code}, counts_(code.graph().blocks.empty() ? 0 : instructions(code), 0),
          has_no_bound_(code.graph().loops.size(), false),
          ways_{std::vector<bool>(code.graph().edges.size(), false),
                std::vector<bool>(code.graph().blocks.size(), false)} {
        region(std::nullopt, 0, HeldNumbers{launch});
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

private:
    using ByEdge = std::map<std::size_t, HeldNumbers>;

    static std::size_t instructions(const SteppedCode& code) {
        std::size_t last = 0;
        for (const auto& block : code.graph().blocks)
            last = std::max(last, block.last);
        return last + 1;
    }
    [[nodiscard]] bool is_exhausted() const { return work_ > most_work_of_a_warp; }
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
    static void add(std::map<std::size_t, HeldNumbers>& to, std::size_t key,
                    const HeldNumbers& numbers) {
        const auto [known, is_new] = to.emplace(key, numbers);
        if (!is_new) known->second.join(numbers);
    }

    /// Once through the blocks of a loop, or of the function, from `first` on. Returns what leaves
    /// them or comes to the loop's header.
    ByEdge region(std::optional<std::size_t> loop, std::size_t first, const HeldNumbers& numbers) {
        ByEdge left;
        std::map<std::size_t, HeldNumbers> open{
            {first, numbers}}; // Blocks are in reverse postorder.
        while (!open.empty() && !is_exhausted()) {
            const auto next = open.extract(open.begin());
            const auto inner = loop_headed_by(next.key());
            const ByEdge after = inner && inner != loop ? whole_loop(*inner, next.mapped())
                                                        : block(next.key(), next.mapped());
            for (const auto& [edge, held] : after) {
                const std::size_t to = code_.graph().edges[edge].to;
                if (loop && (to == code_.graph().loops[*loop].header || !is_within(*loop, to)))
                    add(left, edge, held);
                else
                    add(open, to, held);
            }
        }
        return left;
    }

    ByEdge block(std::size_t number, HeldNumbers numbers) {
        const auto& code = code_.graph().blocks[number];
        ++work_;
        for (std::size_t i = code.first; i <= code.last; ++i) {
            if (numbers.may_execute(code_.at(i))) ++counts_[i];
            if (code_.decides(i)) ++work_;
            code_.execute(number, i, numbers);
        }
        if (code.exits && numbers.may_execute(code_.at(code.last))) ways_.ends[number] = true;
        ByEdge after;
        for (const std::size_t edge : code.out)
            if (auto held = code_.behind(edge, numbers)) {
                ways_.edges[edge] = true;
                after.emplace(edge, std::move(*held));
            }
        return after;
    }

    /// From one entry of the loop until it is left.
    ByEdge whole_loop(std::size_t loop, HeldNumbers numbers) {
        ByEdge left;
        const std::int64_t before = work_;
        while (!has_no_bound_[loop]) {
            auto next = iteration(loop, numbers, left);
            if (!next || is_exhausted()) return left;
            if (*next == numbers || work_ - before > most_work_of_an_entry)
                has_no_bound_[loop] = true;
            numbers = std::move(*next);
        }
        // Any iteration from now on.
        for (const std::size_t block : code_.graph().loops[loop].blocks)
            drop_written(block, numbers);
        iteration(loop, numbers, left);
        return left;
    }

    /// Adds what leaves the loop. Returns what the next iteration begins with, if there may be one.
    std::optional<HeldNumbers> iteration(std::size_t loop, const HeldNumbers& numbers,
                                         ByEdge& left) {
        const std::size_t header = code_.graph().loops[loop].header;
        std::optional<HeldNumbers> next;
        for (const auto& [edge, held] : region(loop, header, numbers)) {
            if (code_.graph().edges[edge].to != header)
                add(left, edge, held);
            else if (next)
                next->join(held);
            else
                next = held;
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
    std::vector<std::int64_t> counts_;
    std::vector<bool> has_no_bound_; ///< Per loop.
    PossibleWays ways_;
    std::int64_t work_ = 0;
};

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
    HeldNumbers numbers{values};
    std::optional<std::size_t> block = 0;
    std::int64_t executed = 0;
    while (block && executed < instructions) {
        const auto& at = graph_.blocks[*block];
        for (std::size_t i = at.first; i <= at.last; ++i) {
            ++executed;
            if (numbers.must_execute(code.at(i))) ++counts[i];
            code.execute(*block, i, numbers);
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

PossibleWays WarpExecution::ways(const ThreadIndices& threads) const {
    const SteppedCode code{function_, graph_, deciding_};
    const LaunchValues values{function_, launch_, threads};
    return PossibleRuns{code, values}.ways();
}

} // namespace warpbound::certification::verify

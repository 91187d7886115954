#include "analyzer/policies/two_level.hpp"

#include "models/launch/active_set.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

constexpr auto scoreboards = static_cast<std::size_t>(assembly::scoreboard_count);

enum class Kind { Register, Scoreboard, Port };

/// What a warp's own instruction keeps it waiting for.
struct Thing {
    Kind kind = Kind::Register;
    assembly::Register reg{};
    std::size_t index = 0; ///< Of a scoreboard, or of a port's unit.
    std::size_t user = 0;  ///< Of a port: the instruction that uses it.

    friend auto operator<=>(const Thing&, const Thing&) = default;
};

/// For how long a thing is not there at most; what is not listed is there.
using Remaining = std::map<Thing, std::int64_t>;

void raise(Remaining& remaining, const Thing& thing, std::int64_t cycles) {
    if (cycles > 0) remaining[thing] = std::max(remaining[thing], cycles);
}

class ActiveSet {
public:
    explicit ActiveSet(const AnalysisContext& context)
        : context_{context}, graph_{*context.request.graph}, entries_(graph_.blocks.size()),
          beyond_(context.timings.size(), 0) {}

    InstructionCosts waits() {
        entries_.front().emplace();
        std::vector<std::size_t> changed{0};
        while (!changed.empty()) {
            const std::size_t block = changed.back();
            changed.pop_back();
            const Remaining behind = follow(block);
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                const std::size_t last = graph_.blocks[block].last;
                const std::size_t next = graph_.blocks[to].first;
                if (!context_.used[next]) continue;
                count(next, last, true, behind);
                if (join(to, later(behind, least_gap(last, true)))) changed.push_back(to);
            }
        }
        return std::move(beyond_);
    }

private:
    [[nodiscard]] const assembly::Instruction& instruction_at(std::size_t i) const {
        return context_.request.function->instructions[i];
    }
    [[nodiscard]] const Timing& timing(std::size_t i) const { return context_.timings[i].value(); }
    [[nodiscard]] std::int64_t least_gap(std::size_t i, bool may_transfer) const {
        return may_transfer ? std::min(timing(i).gap.lo, timing(i).gap_taken.lo) : timing(i).gap.lo;
    }
    [[nodiscard]] std::int64_t of_passes(std::size_t i, std::int64_t first) const {
        return models::plus(first, models::times(timing(i).pass_cost.hi, timing(i).passes.hi - 1));
    }

    /// Issues the instructions of a block. Returns what remains, seen from the last issue.
    Remaining follow(std::size_t block) {
        const assembly::BasicBlock& code = graph_.blocks[block];
        Remaining remaining = *entries_[block];
        issue(code.first, remaining);
        for (std::size_t i = code.first + 1; i <= code.last; ++i) {
            count(i, i - 1, false, remaining);
            remaining = later(remaining, least_gap(i - 1, false));
            issue(i, remaining);
        }
        return remaining;
    }

    static Remaining later(const Remaining& remaining, std::int64_t cycles) {
        Remaining left;
        for (const auto& [thing, most] : remaining)
            raise(left, thing, most - cycles);
        return left;
    }

    /// Whether that adds something.
    bool join(std::size_t block, const Remaining& other) {
        auto& entry = entries_[block];
        if (!entry) {
            entry = other;
            return true;
        }
        bool changed = false;
        for (const auto& [thing, cycles] : other) {
            std::int64_t& most = (*entry)[thing];
            changed = changed || cycles > most;
            most = std::max(most, cycles);
        }
        return changed;
    }

    /// Calls `use(thing)` for the registers and scoreboards that an instruction surely waits for,
    /// on or off.
    template <class Use> void for_each_awaited(std::size_t i, Use use) const {
        const assembly::Instruction& instruction = instruction_at(i);
        if (timing(i).waits_for_registers)
            for (const auto* registers : {&instruction.effects.reads, &instruction.effects.writes})
                for (const assembly::Register& one : *registers)
                    use(Thing{Kind::Register, one});
        const unsigned mask = instruction.control ? instruction.control->wait_mask : 0U;
        for (std::size_t scoreboard = 0; scoreboard < scoreboards; ++scoreboard)
            if ((mask >> scoreboard & 1U) != 0) use(Thing{Kind::Scoreboard, {}, scoreboard});
    }

    /// Whether a use of a port is over when an instruction finds what it surely waits for.
    [[nodiscard]] bool is_left(const Thing& use, std::size_t i) const {
        return outlasts_port(use.user) && waits_for_result(i, use.user);
    }
    /// Whether an instruction surely waits for the result of another one, whenever that issued.
    [[nodiscard]] bool waits_for_result(std::size_t i, std::size_t of) const {
        bool found = false;
        const auto& writes = instruction_at(of).effects.writes;
        const auto& control = instruction_at(of).control;
        for_each_awaited(i, [&](const Thing& thing) {
            found =
                found || (thing.kind == Kind::Register
                              ? std::ranges::count(writes, thing.reg) > 0
                              : control && control->write_barrier == static_cast<int>(thing.index));
        });
        return found;
    }
    /// A result is not there before its instruction has left the port.
    [[nodiscard]] bool outlasts_port(std::size_t i) const {
        const auto holds = [&](std::int64_t passes) {
            return models::times(timing(i).initiation.hi, passes) <=
                   models::plus(timing(i).latency.lo,
                                models::times(timing(i).pass_cost.lo, passes - 1));
        };
        return holds(timing(i).passes.lo) && holds(timing(i).passes.hi);
    }

    /// What an instruction waited for is there when it issues; what it begins may last longest.
    void issue(std::size_t i, Remaining& remaining) const {
        std::erase_if(remaining, [&](const auto& one) {
            return one.first.kind == Kind::Port && is_left(one.first, i);
        });
        for_each_awaited(i, [&](const Thing& thing) { remaining.erase(thing); });
        const assembly::Instruction& instruction = instruction_at(i);
        raise(remaining, {Kind::Port, {}, timing(i).unit, i},
              models::times(timing(i).initiation.hi, timing(i).passes.hi));
        const bool counts = !models::is_waited_for_outside(instruction.opcode_class);
        const std::int64_t result = of_passes(i, timing(i).latency.hi);
        if (counts && timing(i).waits_for_registers)
            for (const assembly::Register& written : instruction.effects.writes)
                raise(remaining, {Kind::Register, written}, result);
        if (!instruction.control) return;
        const auto announce = [&](const std::optional<int>& scoreboard, std::int64_t cycles) {
            if (scoreboard)
                raise(remaining, {Kind::Scoreboard, {}, static_cast<std::size_t>(*scoreboard)},
                      cycles);
        };
        if (counts) announce(instruction.control->write_barrier, result);
        announce(instruction.control->read_barrier, of_passes(i, timing(i).source_read.hi));
    }

    /// `remaining`: behind the issue of `before`, after which `i` may be next.
    void count(std::size_t i, std::size_t before, bool may_transfer, const Remaining& remaining) {
        std::int64_t wait = timing(before).gap.hi;
        if (may_transfer) wait = std::max(wait, timing(before).gap_taken.hi);
        const auto wait_for = [&](const Thing& thing) {
            const auto found = remaining.find(thing);
            if (found != remaining.end()) wait = std::max(wait, found->second);
        };
        for_each_awaited(i, wait_for);
        for (const auto& [thing, cycles] : remaining)
            if (thing.kind == Kind::Port && thing.index == timing(i).unit && !is_left(thing, i))
                wait = std::max(wait, cycles);
        // DEPBAR names the scoreboard that it waits for among its operands: any.
        if (instruction_at(i).opcode_class == assembly::OpcodeClass::DependenceBarrier)
            for (std::size_t scoreboard = 0; scoreboard < scoreboards; ++scoreboard)
                wait_for({Kind::Scoreboard, {}, scoreboard});
        // Where a barrier opens later than its warp arrived, no slot of that warp runs.
        if (timing(before).is_barrier_wait)
            wait = std::max(wait, of_passes(before, timing(before).latency.hi));
        else
            wait -= context_.shape.issue_slot.lo;
        beyond_[i] = std::max(beyond_[i], wait);
    }

    const AnalysisContext& context_;
    const assembly::ControlFlowGraph& graph_;
    /// Seen from the first cycle in which the gap lets the block's first instruction issue.
    std::vector<std::optional<Remaining>> entries_;
    InstructionCosts beyond_; ///< The first instruction of a warp waits for nothing.
};

} // namespace

InstructionCosts delays_in_active_set(const AnalysisContext& context) {
    return ActiveSet{context}.waits();
}

} // namespace warpbound::analyzer

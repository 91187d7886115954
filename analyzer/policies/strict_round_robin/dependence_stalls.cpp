#include "analyzer/policies/strict_round_robin/dependence_stalls.hpp"

#include "analyzer/interference/resource_demand.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

void raise(std::int64_t& most, std::int64_t cycles) {
    most = std::max(most, cycles);
}

/// Longest occupancy of each resource (port, register, scoreboard) by any instruction.
class LongestUses {
public:
    explicit LongestUses(const AnalysisContext& context)
        : context_{context},
          units_(context.request.architecture->units.size(), 0), lag_{longest_read_lag(context)} {
        for (std::size_t i = 0; i < context.used.size(); ++i)
            if (context.used[i]) add(i);
    }

    /// Stall of an instruction from the previous issue on, without the gap and the barrier of the
    /// previous instruction.
    [[nodiscard]] std::int64_t resource_stall(std::size_t i) const {
        const assembly::Instruction& instruction = instruction_at(i);
        std::int64_t most = units_[timing(i).unit];
        if (timing(i).waits_for_registers)
            for (const auto* registers : {&instruction.effects.reads, &instruction.effects.writes})
                for (const assembly::Register& one : *registers)
                    if (const auto found = registers_.find(one); found != registers_.end())
                        raise(most, found->second);
        // DEPBAR names the scoreboard that it waits for among its operands.
        const bool any = instruction.opcode_class == assembly::OpcodeClass::DependenceBarrier;
        const unsigned mask = instruction.control ? instruction.control->wait_mask : 0U;
        for (std::size_t scoreboard = 0; scoreboard < scoreboards_.size(); ++scoreboard)
            if (any || (mask >> scoreboard & 1U) != 0) raise(most, scoreboards_[scoreboard]);
        return most;
    }

    /// Stall by the gap and the barrier of an instruction, from its issue on.
    [[nodiscard]] std::int64_t stall_after(std::size_t i, bool may_transfer) const {
        std::int64_t most = std::max(timing(i).gap.hi, context_.shape.issue_slot.hi);
        if (may_transfer) raise(most, timing(i).gap_taken.hi);
        // Whether the line is looked up after an edge is not told apart.
        if (may_transfer && context_.instruction_lines)
            raise(most, context_.instruction_lines->wait);
        if (timing(i).is_barrier_wait) raise(most, result(i));
        return most;
    }

    [[nodiscard]] std::int64_t completion() const { return completion_; }

private:
    [[nodiscard]] const assembly::Instruction& instruction_at(std::size_t i) const {
        return context_.request.function->instructions[i];
    }
    [[nodiscard]] const Timing& timing(std::size_t i) const { return context_.timings[i].value(); }
    [[nodiscard]] std::int64_t with_transactions(std::size_t i, std::int64_t first) const {
        return models::plus(first, models::times(timing(i).pass_cost.hi, timing(i).passes.hi - 1));
    }
    [[nodiscard]] std::int64_t result(std::size_t i) const {
        return with_transactions(i, timing(i).latency.hi);
    }

    /// The same from the issue on, which a grant of the register reads may follow late.
    [[nodiscard]] std::int64_t lagging_result(std::size_t i) const {
        const bool lags = context_.register_reads && context_.register_reads->has_fixed_latency[i];
        return models::plus(result(i), lags ? lag_ : 0);
    }

    [[nodiscard]] std::int64_t& released_at(int scoreboard) {
        return scoreboards_.at(static_cast<std::size_t>(scoreboard));
    }

    void add(std::size_t i) {
        const assembly::Instruction& instruction = instruction_at(i);
        raise(completion_, lagging_result(i));
        raise(units_[timing(i).unit], models::occupancy_of_port(timing(i)).hi);
        if (timing(i).waits_for_registers)
            for (const assembly::Register& written : instruction.effects.writes)
                raise(registers_[written], lagging_result(i));
        if (!instruction.control) return;
        if (instruction.control->write_barrier)
            raise(released_at(*instruction.control->write_barrier), result(i));
        if (instruction.control->read_barrier) {
            const std::int64_t read = with_transactions(i, timing(i).source_read.hi);
            raise(released_at(*instruction.control->read_barrier), read);
            raise(completion_, read);
        }
    }

    const AnalysisContext& context_;
    std::vector<std::int64_t> units_;
    std::int64_t lag_ = 0; ///< Of a grant of register reads (S33).
    std::map<assembly::Register, std::int64_t> registers_;
    std::array<std::int64_t, assembly::scoreboard_count> scoreboards_{};
    std::int64_t completion_ = 1; ///< C2.
};

} // namespace

LongestStalls stalls_in_any_order(const AnalysisContext& context) {
    const assembly::ControlFlowGraph& graph = *context.request.graph;
    const LongestUses uses{context};
    LongestStalls stalls;
    stalls.completion = uses.completion();
    stalls.instructions = per_instruction(
        context, [&](std::size_t i, const Timing&) { return uses.resource_stall(i); });
    const auto add_successor = [&](std::size_t i, std::size_t before, bool may_transfer) {
        if (context.used[i] && context.used[before])
            raise(stalls.instructions[i], uses.stall_after(before, may_transfer));
    };
    for (const assembly::BasicBlock& block : graph.blocks) {
        for (std::size_t i = block.first + 1; i <= block.last; ++i)
            add_successor(i, i - 1, false);
        for (const std::size_t edge : block.out)
            add_successor(graph.blocks[graph.edges[edge].to].first, block.last, true);
    }
    return stalls;
}

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Concrete interpreter of one thread: integer arithmetic, comparisons, predicates and branches,
/// written from the instruction semantics alone. Other instructions give random results.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/launch/launch.hpp"
#include "tests/support/random_source.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::tests {

/// An instruction that a lane reached.
struct LaneStep {
    std::size_t instruction = 0;
    bool executes = true;      ///< Not predicated off.
    std::uint32_t address = 0; ///< Of an access that executes: the low 32 bits.
};

/// The run of a lane.
struct LaneRun {
    std::vector<std::size_t> path;   ///< Blocks in order.
    std::vector<std::int64_t> edges; ///< Per edge of the graph: how often taken.
    bool ended = false;              ///< It reached an EXIT within the given number of blocks.
    /// By loop: executions of its header per entry, for the entries whose traversal ended.
    std::map<std::size_t, std::vector<std::int64_t>> header_counts;
    std::vector<LaneStep> steps; ///< Instructions with a guard or a memory access.
};

/// Given inputs of a lane.
struct LaneInputs {
    std::map<std::string, std::uint32_t> special;    ///< By name of the special register.
    std::map<std::int64_t, std::uint32_t> constants; ///< By offset in constant bank 0.
    /// Words loaded from one address are equal, also for other lanes with this seed (C96); nothing:
    /// each load gives a random number.
    std::optional<std::uint32_t> memory{};
    /// Lanes diverge, and those that run elsewhere write uniform predicates: at the begin of each
    /// block they are random.
    bool others_write_predicates = false;
};

class LaneInterpreter {
public:
    /// Registers, predicates, constants and special registers (thread and block index within the
    /// launch) begin with random values unless given; constants from 0x160 on with small ones.
    LaneInterpreter(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                    RandomSource& random_source, const models::Launch& launch = {},
                    const LaneInputs& inputs = {});

    /// Executes at most `max_blocks` blocks.
    LaneRun run(int max_blocks);

private:
    using Number = std::uint32_t;

    void enter(LaneRun& run, std::optional<std::size_t> from, std::size_t to);
    Number value(const assembly::Operand& operand);
    bool truth(const assembly::Operand& operand);
    bool predicate(assembly::Register reg);
    Number address(const assembly::MemoryOperand& operand);
    /// One of the two floats next to the reciprocal (C110).
    float reciprocal(float number);
    /// IMAD.WIDE.
    void multiply_wide(const assembly::Instruction& instruction);
    /// The result; nothing for an instruction that is not modelled.
    std::optional<Number> result(const assembly::Instruction& instruction);
    /// Executes the instruction; false when it is predicated off.
    bool execute(const assembly::Instruction& instruction);

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    RandomSource& random_source_;
    models::Launch launch_;
    std::map<assembly::Register, Number> numbers_;
    std::map<assembly::Register, bool> predicates_;
    std::map<std::int64_t, Number> constants_;
    std::map<std::string, Number> special_;
    std::map<std::size_t, std::int64_t> header_count_; ///< By loop: in the current traversal.
    std::optional<std::uint32_t> memory_;
    bool others_write_predicates_ = false;
};

} // namespace warpbound::tests

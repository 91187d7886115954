#pragma once
/// \file
/// Runs the code of one lane: integer arithmetic, comparisons, predicates and branches, written
/// from the meaning of the instructions alone. What it does not know gives random numbers.

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

/// An instruction that a lane came to, with what decided there.
struct LaneStep {
    std::size_t instruction = 0;
    bool executes = true;      ///< Its guard lets it.
    std::uint32_t address = 0; ///< Of an access that executes: the low bits of its address.
};

/// What a lane did.
struct LaneRun {
    std::vector<std::size_t> path;   ///< Blocks in order.
    std::vector<std::int64_t> edges; ///< Per edge of the graph: how often taken.
    bool ended = false;              ///< At an EXIT, within the steps.
    /// Executions of each loop's header per entry, of the entries that ended.
    std::map<std::size_t, std::vector<std::int64_t>> turns;
    std::vector<LaneStep> steps; ///< Those that have a guard or access memory.
};

/// What lanes of a block share, or what each of them is given.
struct LaneInputs {
    std::map<std::string, std::uint32_t> special;    ///< By special register.
    std::map<std::int64_t, std::uint32_t> constants; ///< By offset.
};

class LaneInterpreter {
public:
    /// Registers, predicates, constants and the lane's place in the launch begin with random
    /// values, unless they are given; constants of bank 0 from 0x160 on with small ones.
    LaneInterpreter(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                    RandomSource& random_source, const models::Launch& launch = {},
                    const LaneInputs& inputs = {});

    /// At most so many blocks.
    LaneRun run(int steps);

private:
    using Number = std::uint32_t;

    void enter(LaneRun& run, std::optional<std::size_t> from, std::size_t to);
    Number value(const assembly::Operand& operand);
    bool truth(const assembly::Operand& operand);
    bool predicate(assembly::Register reg);
    Number address(const assembly::MemoryOperand& operand);
    /// IMAD.WIDE.
    void multiply_wide(const assembly::Instruction& instruction);
    /// What the instruction computes; nothing when it is not known here.
    std::optional<Number> result(const assembly::Instruction& instruction);
    /// Whether the guard lets it execute.
    bool execute(const assembly::Instruction& instruction);

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    RandomSource& random_source_;
    models::Launch launch_;
    std::map<assembly::Register, Number> numbers_;
    std::map<assembly::Register, bool> predicates_;
    std::map<std::int64_t, Number> constants_;
    std::map<std::string, Number> special_;
    std::map<std::size_t, std::int64_t> turn_;
};

} // namespace warpbound::tests

#pragma once
/// \file
/// Runs the code of one lane: integer arithmetic, comparisons, predicates and branches, written
/// from the meaning of the instructions alone. What it does not know gives random numbers.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/launch.hpp"
#include "tests/support/chance.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::tests {

/// What a lane did.
struct LaneRun {
    std::vector<std::size_t> path;   ///< Blocks in order.
    std::vector<std::int64_t> edges; ///< Per edge of the graph: how often taken.
    bool ended = false;              ///< At an EXIT, within the steps.
    /// Executions of each loop's header per entry, of the entries that ended.
    std::map<std::size_t, std::vector<std::int64_t>> turns;
};

class LaneInterpreter {
public:
    /// Registers, predicates, constants and the lane's place in the launch begin with random
    /// values; constants of bank 0 from 0x160 on with small ones.
    LaneInterpreter(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                    Chance& chance, const models::Launch& launch = {});

    /// At most so many blocks.
    LaneRun run(int steps);

private:
    using Number = std::uint32_t;

    void enter(LaneRun& run, std::optional<std::size_t> from, std::size_t to);
    Number value(const assembly::Operand& operand);
    bool truth(const assembly::Operand& operand);
    bool predicate(int index);
    /// Whether the guard lets it execute.
    bool execute(const assembly::Instruction& instruction);

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    Chance& chance_;
    models::Launch launch_;
    std::map<int, Number> numbers_;
    std::map<int, bool> predicates_;
    std::map<std::int64_t, Number> constants_;
    std::map<std::string, Number> special_;
    std::map<std::size_t, std::int64_t> turn_;
};

} // namespace warpbound::tests

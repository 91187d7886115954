#pragma once
/// \file
/// What registers of the threads of an index box hold, as affine forms of their indices: on paths
/// that these threads can take (S79).

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/launch/launch.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// By what edges and ends are left out that no thread of a box takes.
enum class EdgesBy {
    Execution, ///< Abstract execution (S16a).
    Forms,     ///< Comparisons of forms alone, which evidence can show.
};

/// The values before each instruction, for all threads of a box. The arguments must outlive it.
class IndexBoxStates {
public:
    /// `code`: with the words that are known in place of parameters. Requires: the box has first
    /// blocks.
    IndexBoxStates(const assembly::Function& code, const assembly::ControlFlowGraph& graph,
                   const models::Launch& launch, const IndexBox& box, EdgesBy edges);

    /// Calls `each(block, instruction, values)` for every instruction of a reached block, with the
    /// values before it.
    using Each =
        std::function<void(std::size_t, const assembly::Instruction&, const SymbolicRegisters&)>;
    void for_each(const Each& each) const;

    /// The guard of the instruction holds for all threads of the box, or for none; nothing: it is
    /// not known.
    [[nodiscard]] std::optional<bool> guard_of(const assembly::Instruction& instruction,
                                               const SymbolicRegisters& values) const;
    /// Every thread of the box that ends executes one of these blocks. `Shape:` [block]
    [[nodiscard]] bool all_pass(const std::vector<bool>& blocks) const;

private:
    void execute(std::size_t block, SymbolicRegisters& values, const Each& each) const;
    void forget_uniform_registers(SymbolicRegisters& values) const;
    [[nodiscard]] std::optional<bool> truth_of_operand(const assembly::RegisterOperand& operand,
                                                       const SymbolicRegisters& values) const;
    [[nodiscard]] bool can_traverse(const assembly::Edge& edge,
                                    const SymbolicRegisters& values) const;
    /// Edges and an end at the end of a block that the values there do not exclude.
    void add_ways_out(std::size_t block, const SymbolicRegisters& values);

    const assembly::Function& code_;
    const assembly::ControlFlowGraph& graph_;
    IndexBox box_;
    std::set<assembly::Register> uniform_; ///< Registers of the warp that the code writes.
    AbstractRun run_;
    std::vector<std::optional<SymbolicRegisters>> begins_; ///< Per block; none: not reached.
};

} // namespace warpbound::analyzer

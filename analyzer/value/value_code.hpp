#pragma once
/// \file
/// The code on which the value analysis works: NVIDIA's as it is, AMD's as steps in the forms that
/// the transfer functions know (S56).

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct ValueCode {
    /// Several steps may have the address of the instruction that they come from. Not for printing.
    assembly::Function function;
    assembly::ControlFlowGraph graph; ///< Blocks, edges and loops are those of the code.
    /// Per step, the instruction whose access it makes, or that decides; nothing for other steps.
    std::vector<std::optional<std::size_t>> stands_for;
};

/// Whether the values of a function's registers can be followed: not of AMD's wavefronts where its
/// entry is the header of a loop.
bool has_value_code(const assembly::Function& function, const assembly::ControlFlowGraph& graph);

/// Sound for AMD's code in the sense of S56: what holds in every run of the steps for every lane
/// holds in every run of the code for the lanes of EXEC. Code of which nothing is followed is as it
/// was.
ValueCode value_code(const assembly::Function& function, const assembly::ControlFlowGraph& graph);

} // namespace warpbound::analyzer

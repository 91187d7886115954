#pragma once
/// \file
/// Numbers and comparisons as people read them.

#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <string>

namespace warpbound::analyzer {

/// "SR_TID.X + 4 * c[0x0][0x160] - 1"; what a register got at a place is "R4 of 0x0080".
std::string to_text(const AffineExpression& number, const assembly::Function& function,
                    const assembly::ControlFlowGraph& graph);
/// "R4 of 0x0080 < 16"; without sign: "R4 of 0x0080 < 16 unsigned".
std::string to_text(const Comparison& comparison, const assembly::Function& function,
                    const assembly::ControlFlowGraph& graph);

} // namespace warpbound::analyzer

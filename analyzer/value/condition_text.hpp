#pragma once
/// \file
/// Texts of affine expressions and comparisons, for reports.

#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <string>

namespace warpbound::analyzer {

/// "SR_TID.X + 4 * c[0x0][0x160] - 1"; the value of a register defined at 0x0080 is "R4 of 0x0080".
std::string to_text(const AffineExpression& number, const assembly::Function& function,
                    const assembly::ControlFlowGraph& graph);
/// "R4 of 0x0080 < 16"; unsigned: "R4 of 0x0080 < 16 unsigned".
std::string to_text(const Comparison& comparison, const assembly::Function& function,
                    const assembly::ControlFlowGraph& graph);

} // namespace warpbound::analyzer

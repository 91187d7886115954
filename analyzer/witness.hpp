#pragma once
/// \file
/// What a path through the state graph says: counts, cycles per block and instruction, and why time
/// passes.

#include "analyzer/longest_path.hpp"

namespace warpbound::analyzer {

/// Fills the witness part of a side's result from a path; `proved`, `outcome` and `proof` are left
/// alone.
void describe_witness(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                      const StateGraph& states, const Pipeline& pipeline, const NodePath& path,
                      SideResult& result);

} // namespace warpbound::analyzer

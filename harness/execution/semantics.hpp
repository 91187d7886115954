#pragma once
/// \file
/// Finds the semantics of instructions in the tables of their groups.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/support/result.hpp"
#include "harness/execution/operation.hpp"

#include <span>
#include <vector>

namespace warpbound::harness::execution {

// One table per group, each in a file of its own.
std::span<const SemanticsRow> integer_semantics();
std::span<const SemanticsRow> logic_semantics();
std::span<const SemanticsRow> compare_semantics();
std::span<const SemanticsRow> float_semantics();
std::span<const SemanticsRow> double_semantics();
std::span<const SemanticsRow> half_semantics();
std::span<const SemanticsRow> conversion_semantics();
std::span<const SemanticsRow> move_semantics();
std::span<const SemanticsRow> warp_semantics();
std::span<const SemanticsRow> memory_semantics();
std::span<const SemanticsRow> atomic_semantics();
std::span<const SemanticsRow> control_semantics();

/// The instructions of the function, by index; those that the graph does not reach are empty.
/// Refuses instructions without semantics, all of them in one message.
Result<std::vector<Operation>> decode_operations(const assembly::Function& function,
                                                 const assembly::ControlFlowGraph& graph);

} // namespace warpbound::harness::execution

#pragma once
/// \file
/// Threads to which no early end, and no other path around the work of a kernel, is open: one in
/// every warp of a box of thread blocks.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/operand.hpp"
#include "assembly/isa/program.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <optional>
#include <set>

namespace warpbound::analyzer {

/// The box of thread blocks, and what the representatives of their warps never do (S46). Chosen
/// such that the shortest path of a representative through the code is long, and then that there
/// are many blocks. Nothing: no choice excludes anything. `code`: of the threads, with the words
/// that are known in place of parameters. `warp_size`: threads of a warp. `shared`: as for
/// `execute_abstractly`.
std::optional<models::RepresentativeFact>
representative_threads(const assembly::Function& code, const assembly::ControlFlowGraph& graph,
                       const models::Launch& launch, std::int64_t warp_size,
                       const std::set<assembly::Register>& shared, const models::FactSource& from);

} // namespace warpbound::analyzer

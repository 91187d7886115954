#pragma once
/// \file
/// The flow facts that an analysis uses: what is stated, what follows from the code, and the safe
/// reading of the rest.

#include "analyzer/value/kernel_parameters.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

namespace warpbound::analyzer {

/// A fact that follows from the code has origin static and status proved. Added to the stated
/// facts:
/// - loop bounds, and tighter ends of stated ones (S16); 1 for loops that no path enters (S19a);
/// - uniform branches, EXITs and guarded memory accesses; every other one is divergent (S32);
/// - bank-conflict degrees, and transactions of global accesses. The latter need that the lanes of
///   an access lie within 4 GiB, and stay unchecked (S32).
/// What follows only with the arguments that the launch states has origin arguments and stays
/// unchecked. Thread indices are known where the launch states the shape of its blocks, or where
/// the code reads no index but that in x. Refuses facts that were derived for blocks of another
/// shape, statements that the code refutes, and uniform facts where nothing is decided.
Result<models::FlowFacts> facts_in_use(const assembly::Function& function,
                                       const assembly::ControlFlowGraph& graph,
                                       const models::Architecture& architecture,
                                       const models::Launch& launch, models::FlowFacts stated);

} // namespace warpbound::analyzer

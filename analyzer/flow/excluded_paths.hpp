#pragma once
/// \file
/// Facts about where no thread goes, from an abstract execution. They name addresses, which stand
/// for the code in all call contexts.

#include "analyzer/flow/abstract_execution.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

namespace warpbound::analyzer {

/// Adds blocks that are executed in no call context. `source`: what the run rests on.
void add_never_executed(const assembly::ControlFlowGraph& graph, const AbstractRun& run,
                        const models::FactSource& source, models::FlowFacts& facts);
/// Adds edges, from code of one call context, that no thread takes, to code that some thread
/// executes.
void add_never_taken(const assembly::ControlFlowGraph& graph, const AbstractRun& run,
                     const models::FactSource& source, models::FlowFacts& facts);
/// Adds guarded EXITs of one call context at which no thread ends: their blocks are left as often
/// as they are executed.
void add_never_ending(const assembly::ControlFlowGraph& graph, const AbstractRun& run,
                      const models::FactSource& source, models::FlowFacts& facts);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Infeasible paths: edges and pairs of edges whose branch conditions contradict each other.

#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

/// A flow fact that holds for the run of every thread, for all inputs of the kernel.
struct DerivedPathFact {
    std::variant<models::NeverFact, models::ExclusiveFact, models::LinearFact> fact;
    /// E.g. "the branch at 0x0040 goes there if c[0x0][0x160] < 5, that at 0x0080 if it is >= 8".
    std::string reason;
};

/// Blocks and edges that are never taken, EXITs that terminate no thread, and pairs of which a run
/// takes at most one; the search ends at 8,192 pairs. Considered: branches and EXITs with one guard
/// that compares numbers which are constant during the run. `launch`: without one, thread and block
/// indices are not bounded. Sound for the run of a thread (S19a, S19b).
std::vector<DerivedPathFact> derive_infeasible_paths(const assembly::Function& function,
                                                     const assembly::ControlFlowGraph& graph,
                                                     const std::optional<models::Launch>& launch,
                                                     Convergence convergence);

/// "0x0040 is never executed", "0x0040 or 0x0060 -> 0x0080, not both".
std::string text_of(const DerivedPathFact& derived);

/// What follows from the code, then what follows only with the arguments that `launch` states.
std::vector<DerivedPathFact>
infeasible_paths_with_arguments(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const models::Launch& launch, Convergence convergence);

/// Who says so.
const models::FactSource& source_of(const DerivedPathFact& derived);

/// Adds the derived facts to `facts`, with their source.
void append(models::FlowFacts& facts, const std::vector<DerivedPathFact>& derived);

} // namespace warpbound::analyzer

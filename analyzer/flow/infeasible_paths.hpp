#pragma once
/// \file
/// Paths that the conditions of branches exclude.

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

/// A flow fact that holds for the run of every lane, whatever the inputs of the kernel.
struct DerivedPathFact {
    std::variant<models::NeverFact, models::ExclusiveFact, models::LinearFact> fact;
    /// E.g. "the branch at 0x0040 goes there if c[0x0][0x160] < 5, that at 0x0080 if it is >= 8".
    std::string reason;
};

/// Blocks and edges that are never taken, and pairs of which a run takes at most one: at 8,192
/// pairs the search ends. Considered: branches and EXITs decided by one guard that compares numbers
/// which stay the same for the whole run. `launch`: none, and no number that it gives is known.
/// Sound for the run of a lane (docs/soundness.md, S19a and S19b).
std::vector<DerivedPathFact> derive_branch_facts(const assembly::Function& function,
                                                 const assembly::ControlFlowGraph& graph,
                                                 const std::optional<models::Launch>& launch,
                                                 Lanes lanes);

/// "0x0040 is never executed", "0x0040 or 0x0060 -> 0x0080, not both".
std::string text_of(const DerivedPathFact& derived);

/// Adds them to facts, as proved ones of the code.
void append(models::FlowFacts& facts, const std::vector<DerivedPathFact>& derived);

} // namespace warpbound::analyzer

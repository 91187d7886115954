#pragma once
/// \file
/// Loops whose number of turns follows from the code.

#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// How often a loop's back edges may be taken per entry.
struct BackEdgeBounds {
    std::int64_t min = 0;
    std::int64_t max = 0;
};

/// Each time the loop is entered from outside, its header executes at least `min` and at most `max`
/// times, whatever the inputs of the kernel.
struct DerivedLoop {
    std::int64_t min = 1;
    std::int64_t max = 1;
    /// E.g. "the way out at 0x03f0 is taken in turn 6; it compares 4, 8, 12, .. with 24".
    std::string reason;
};

/// Turns that are counted; a loop that takes more is left to a flow fact.
inline constexpr std::int64_t derived_turns_limit = std::int64_t{1} << 22U;

/// Per loop of the graph, nothing where it does not follow. Considered: branches and EXITs that
/// every turn reaches and that compare two numbers, each of which changes by a constant per turn
/// from a constant (for == and !=: whose difference does). Sound for every path of the graph (S16).
std::vector<std::optional<DerivedLoop>> derive_loops(const assembly::Function& function,
                                                     const assembly::ControlFlowGraph& graph,
                                                     Lanes lanes);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Loop bounds that follow from the code.

#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// Number of times that a loop's back edges are taken per entry.
struct BackEdgeBounds {
    std::int64_t min = 0;
    std::int64_t max = 0;
};

/// Each time the loop is entered from outside, its header executes at least `min` and at most `max`
/// times, for all inputs of the kernel.
struct DerivedLoop {
    std::int64_t min = 1;
    std::int64_t max = 1;
    /// E.g. "the exit at 0x03f0 is taken in iteration 6; it compares 4, 8, 12, .. with 24".
    std::string reason;
};

/// Loops with more iterations are not bounded here and need a flow fact.
inline constexpr std::int64_t derived_iterations_limit = std::int64_t{1} << 22U;

/// Per loop of the graph; nothing where no bound follows. Considered: branches and EXITs that every
/// iteration reaches and that compare two numbers, each an arithmetic progression with constant
/// start and step (for == and !=: whose difference is one). Sound for every path of the graph
/// (S16).
std::vector<std::optional<DerivedLoop>> derive_loops(const assembly::Function& function,
                                                     const assembly::ControlFlowGraph& graph,
                                                     Convergence convergence);

/// By address of the header: a bound that covers the loops with that header in all call contexts.
/// `derived`: as derive_loops gives it. `reached`: per block, whether some thread may execute it;
/// empty: each may be. A loop that none enters needs no bound in that context (S16a).
std::map<std::int64_t, DerivedLoop>
bounds_in_every_context(const assembly::ControlFlowGraph& graph,
                        const std::vector<std::optional<DerivedLoop>>& derived,
                        const std::vector<bool>& reached = {});

} // namespace warpbound::analyzer

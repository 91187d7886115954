#pragma once
/// \file
/// In which order a warp first looks up the lines of a text (docs/theory, S36, lemma 4).

#include "assembly/flow/control_flow_graph.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Lines that follow each other in the text. Whoever executes an instruction of one has executed
/// one of the line before it.
struct LineChain {
    std::int64_t first = 0; ///< Number of the line: address over bytes of a line.
    std::int64_t count = 0;
};

/// Lines that have a reachable instruction, ascending. `line`: bytes of a line.
std::vector<std::int64_t> executed_lines(const assembly::Function& function,
                                         const assembly::ControlFlowGraph& graph,
                                         std::int64_t line);

/// The chains of all executed lines, as long as they can be, in the order of the text. Its time
/// grows with lines times blocks.
std::vector<LineChain> line_chains(const assembly::Function& function,
                                   const assembly::ControlFlowGraph& graph, std::int64_t line);

/// On one scheduler: how many misses of the L1 one warp waits for, of which none is requested
/// before the wait for the one before it begins, at most. `stream`: how many lines a miss of the L0
/// requests behind its own; whatever the number is. Sound when: the lines persist in both caches.
/// `of_any_warp`: counts the waits of all warps of the scheduler. Side: upper.
std::int64_t serial_misses(const std::vector<LineChain>& chains, const models::Interval& stream,
                           bool of_any_warp);

} // namespace warpbound::analyzer

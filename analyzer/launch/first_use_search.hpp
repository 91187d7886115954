#pragma once
/// \file
/// How often a warp that has a scheduler to itself can miss its L0 instruction cache: a search over
/// the orders in which it may first use the lines of the text (docs/theory, S36, lemma 5).

#include "assembly/flow/control_flow_graph.hpp"
#include "models/sourced.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// The most misses, whatever the L0 holds at the start; `line`: bytes of one, `stream`: how many
/// lines a miss requests behind its own. Empty where the text has too many lines, or the search too
/// many states. Side: upper. Sound when: lines persist in the L0.
std::optional<std::int64_t> most_misses_of_a_warp(const assembly::Function& function,
                                                  const assembly::ControlFlowGraph& graph,
                                                  std::int64_t line,
                                                  const models::Interval& stream);

} // namespace warpbound::analyzer

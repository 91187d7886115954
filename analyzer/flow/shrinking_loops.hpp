#pragma once
/// \file
/// Bounds of loops whose exit follows from what one iteration makes smaller: the distance of two
/// registers, a length, what is left to two counters, the bits of a mask (S72).

#include "analyzer/flow/loop_bounds.hpp"
#include "analyzer/value/range_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <optional>
#include <set>

namespace warpbound::analyzer {

/// `entry`: what registers hold where the loop is entered from outside, at each entry. `shared`:
/// registers that other lanes may write. Nothing where no measure shrinks in each iteration.
std::optional<DerivedLoop> bound_by_measure(const assembly::Function& function,
                                            const assembly::ControlFlowGraph& graph,
                                            std::size_t loop, const RangeRegisters& entry,
                                            const std::set<assembly::Register>& shared);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Loop bounds that depend on the index of a thread or block: one abstract execution for each of
/// its values (S16a).

#include "analyzer/flow/abstract_execution.hpp"

namespace warpbound::analyzer {

/// Adds to `run` bounds of loops that it enters and has no bound for, and narrows those that are no
/// single number: by one execution for each
/// value of the indices of threads and blocks that the exits of such a loop are computed from
/// (trace partitioning: Mauborgne, Rival, ESOP 2005). `known`: loops whose bound is not sought.
/// Nothing is added where there are too many of these values, or the exits depend on loaded data.
void bound_loops_by_index(AbstractRun& run, const assembly::Function& function,
                          const assembly::ControlFlowGraph& graph, const models::Launch& launch,
                          const std::set<assembly::Register>& shared,
                          const std::vector<bool>& known);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Abstract execution: loop bounds and infeasible paths by running the code on ranges of values,
/// iteration by iteration (S16a).

#include "analyzer/flow/loop_bounds.hpp"
#include "analyzer/value/range_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/launch/launch.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// What the runs of all threads can execute.
struct AbstractRun {
    std::vector<bool> reached; ///< Per block.
    std::vector<bool> taken;   ///< Per edge.
    std::vector<bool> exits;   ///< Per block: an EXIT at its end may terminate a thread.
    /// Per loop of the graph; nothing: no bound was found, or the loop is not entered.
    std::vector<std::optional<DerivedLoop>> loops;
};

/// `shared`: registers that other lanes may write while a thread waits; nothing is known of them.
/// Sound for the run of every thread of the launch (S16a). Source: Gustafsson, Ermedahl, Sandberg,
/// Lisper, RTSS 2006.
AbstractRun execute_abstractly(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph,
                               const models::Launch& launch,
                               const std::set<assembly::Register>& shared);

} // namespace warpbound::analyzer

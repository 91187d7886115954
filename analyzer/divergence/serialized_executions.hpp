#pragma once
/// \file
/// How often a warp whose lanes may diverge executes instructions on its serialized control-flow
/// graph (S85).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/flow/abstract_execution.hpp"

#include <vector>

namespace warpbound::analyzer {

/// `in_iterations`: per warp and instruction, in how many iterations of the loops around it some
/// lane may execute it with its guard true. The result is how often the warp does; `uncounted`
/// where lanes of different iterations may execute it one after the other.
/// `Shape:` [warp][instruction]. Side: upper.
std::vector<ExecutionCounts> on_serialized_paths(const TimedKernel& kernel,
                                                 const SerializedCfg& cfg,
                                                 std::vector<ExecutionCounts> in_iterations);

} // namespace warpbound::analyzer

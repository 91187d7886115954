#pragma once
/// \file
/// The paths of the threads that represent their warps, for the lower bound of a launch (S46).

#include "analyzer/launch/context.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpbound::analyzer {

/// The control flow without the edges and ends that the representatives never take.
struct RepresentativePaths {
    assembly::ControlFlowGraph graph;
    assembly::PerBlock<bool> unreached;
    models::ThreadBlocks blocks{1}; ///< Of the representatives.
};

/// Nothing where no such fact is in use, or where the policy may delay warps beside the demand on
/// resources (time slots, strict turns, active sets), about which S46 claims nothing.
std::unique_ptr<const RepresentativePaths> representative_paths(const TimedKernel& kernel,
                                                                const models::WarpPolicy& policy);

/// The context of the lower side: the blocks of the fact, on these paths. `paths` must outlive it.
AnalysisContext representative_context(const AnalysisContext& context,
                                       const RepresentativePaths& paths);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Both sides of a bound where the lanes of a warp may diverge.

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/launch/context.hpp"
#include "analyzer/launch/representative_paths.hpp"
#include "assembly/support/result.hpp"
#include "models/launch/launch.hpp"

#include <memory>

namespace warpbound::analyzer {

/// The contexts whose paths bound the two sides: one and the same where the warp is uniform or its
/// lanes share one path (docs/theory, S86), else the path of one thread from below and the
/// serialized control-flow graph from above (S19d).
struct Sides {
    AnalysisContext lower;
    AnalysisContext upper;
    /// What `upper` refers to where the warp may diverge.
    std::unique_ptr<const SerializedCfg> cfg;
    /// What `lower` refers to where threads represent their warps.
    std::unique_ptr<const RepresentativePaths> representatives{};
};

/// Refuses divergence that is not bounded, naming what the user can state of the branches and of
/// the launch.
Result<Sides> sides_of(const AnalysisContext& context, const models::Launch& launch);

} // namespace warpbound::analyzer

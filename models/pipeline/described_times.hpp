#pragma once
/// \file
/// Times of pipeline stages that follow from the description of the machine: copies, and what a
/// launch costs.

#include "models/architecture/architecture.hpp"
#include "models/pipeline/system.hpp"

#include <string_view>

namespace warpbound::models {

/// Start-up and bytes at the described bandwidth (C36). Requires: a copy. `Side:` both, rounded
/// outward. Refuses a machine that does not describe them.
Result<Bounds<Nanoseconds>> described_copy(const Architecture& machine, const PipelineStage& stage);

/// Cycles of a kernel with those that its launch takes (`blocks/launch`). Refuses a machine that
/// does not describe them, asking for `attribute`.
Result<Bounds<Cycles>> with_launch(const Architecture& machine, const Bounds<Cycles>& execution,
                                   std::string_view attribute);
/// Unless the stage states the cost of a launch as a time.
Result<Bounds<Cycles>> with_launch(const Architecture& machine, const PipelineStage& stage,
                                   const Bounds<Cycles>& execution);

} // namespace warpbound::models

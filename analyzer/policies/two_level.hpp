#pragma once
/// \file
/// Stalls of warps within the active set of the two-level policy (docs/soundness.md, S31).

#include "analyzer/interference/resource_demand.hpp"

namespace warpbound::analyzer {

/// Per instruction: longest stall of a warp before it that does not make the warp leave the active
/// set (C19). It counts from the end of the issue slot of the previous instruction, after a barrier
/// from its opening. Holds for any interference by others. `Unit:` core cycles. Side: upper.
InstructionCosts stalls_in_active_set(const AnalysisContext& context);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// The two-level policy, where an active set is smaller than the resident warps of a scheduler: it
/// conserves work within the set (docs/theory, S31).

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/policy.hpp"

namespace warpbound::analyzer {

/// Per instruction: longest stall of a warp before it that does not make the warp leave the active
/// set (C19). It counts from the end of the issue slot of the previous instruction, after a barrier
/// from its opening. Holds for any interference by others. `Unit:` core cycles. Side: upper.
InstructionCosts stalls_in_active_set(const AnalysisContext& context);

const Policy& two_level();

} // namespace warpbound::analyzer

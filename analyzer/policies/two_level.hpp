#pragma once
/// \file
/// What warps wait for inside the active set of the two-level policy (docs/soundness.md, S31).

#include "analyzer/interference/resource_demand.hpp"

namespace warpbound::analyzer {

/// For how long a warp waits before an instruction, at most, for what does not make it leave the
/// active set (C19): beyond the issue slot of the instruction before, or, behind a barrier, from
/// its opening on. Whatever others do to the warp. `Unit:` core cycles. Side: upper.
InstructionCosts delays_in_active_set(const AnalysisContext& context);

} // namespace warpbound::analyzer

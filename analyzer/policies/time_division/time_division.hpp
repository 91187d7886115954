#pragma once
/// \file
/// Bounds of launches whose warps are chosen in slots of their own only (`variable-rate`).

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Sound under slotted policies (docs/soundness.md, S17). Refuses barriers that warps of a block
/// could pass unequally often.
Result<SideAnswer> bound_time_division_from_above(const AnalysisContext& launched,
                                                  Deadline deadline);

/// Side: lower. The largest of `answer`, which is the bound of any policy, the shortest path in the
/// slots of a place, and what the start decides.
Result<SideAnswer> bound_time_division_from_below(const AnalysisContext& context, SideAnswer answer,
                                                  Deadline deadline);

} // namespace warpbound::analyzer

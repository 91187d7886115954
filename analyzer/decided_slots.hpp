#pragma once
/// \file
/// Times of slotted launches in which nothing is left open but the slots that the run starts in.

#include "analyzer/problem.hpp"
#include "models/bounds.hpp"

#include <optional>

namespace warpbound::analyzer {

/// From the least to the largest execution time over all cycles of a round of slots in which each
/// scheduler may start. `Unit:` core cycles.
/// Side: both. Sound under slotted policies (docs/soundness.md, S17, decided schedules). Nothing
/// when warps have more than one path, when schedulers wait for each other (stores, barriers, ports
/// of the multiprocessor, several waves), when the cycle of an issue depends on what is not
/// determined, or when there are too many steps.
std::optional<models::Bounds<models::Cycles>> decided_times(const Problem& problem);

} // namespace warpbound::analyzer

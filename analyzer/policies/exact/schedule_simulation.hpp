#pragma once
/// \file
/// Times of launches whose schedulers are bound to one order of issues: nothing is left open but
/// the slots that a slotted run starts in.

#include "analyzer/launch/path_bound.hpp"
#include "models/bounds.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// From the least to the largest execution time of blocks that start together on one multiprocessor
/// (some of its places may stay empty), over all cycles of a round of slots in which each scheduler
/// may start. `launches`: how many such are stepped for one result. `Unit:` core cycles.
/// Side: both. Sound under slotted policies (docs/soundness.md, S17, decided schedules). Nothing
/// when warps have more than one path, when schedulers wait for each other (stores, barriers, ports
/// of the multiprocessor, several waves), when the cycle of an issue depends on what is not
/// determined, or when there are too many steps.
std::optional<models::Bounds<models::Cycles>> simulated_times(const AnalysisContext& context,
                                                              std::int64_t launches);

/// The time of `warps` warps of one scheduler that are chosen strictly in turn, if no port of the
/// multiprocessor and no write buffer makes them wait for those of other schedulers. `Unit:` core
/// cycles.
/// Side: as asked. Sound in one wave under `srr` (docs/soundness.md, S25). Nothing when warps have
/// more than one path (upper side: than one and its beginnings), wait at barriers or issue twice in
/// a cycle, or when there are too many steps.
std::optional<models::Cycles> time_in_turn(const AnalysisContext& context, std::int64_t warps,
                                           Side side);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Times of slotted launches whose schedulers wait for each other at ports of the multiprocessor
/// or its write buffer: all of them stepped together, every order in which they may issue in one
/// cycle tried.

#include "analyzer/launch/path_bound.hpp"
#include "models/bounds.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// From the least to the largest execution time of blocks that start together on one multiprocessor
/// (some of its places may stay empty), over all cycles in which slots of each scheduler may begin
/// and all orders of issues within a cycle. `launches`: how many such are stepped for one result.
/// `Unit:` core cycles.
/// Side: both, and both are met. Sound under slotted policies (docs/soundness.md, S30). Nothing
/// when warps have more than one path, wait at barriers or issue twice in a cycle, in several
/// waves, through caches, where a value that counts is not one number, at the deadline, or when
/// there is too much to step.
std::optional<models::Bounds<models::Cycles>>
explored_times(const AnalysisContext& context, Deadline deadline, std::int64_t launches);

} // namespace warpbound::analyzer

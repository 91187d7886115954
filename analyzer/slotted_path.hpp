#pragma once
/// \file
/// The path of one warp that is chosen in slots of its own only (docs/soundness.md, S17 and S23).

#include "analyzer/problem.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// How far apart the slots of a warp are, for every kind of place that the first blocks take,
/// sorted. A warp that is alone on its scheduler has all slots.
std::vector<SlotDistance> slot_distances(const models::WarpPolicy& policy,
                                         const LaunchShape& shape);

/// From the shortest to the longest of all. Requires: one at least.
SlotDistance hull(const std::vector<SlotDistance>& distances);

/// What the names of lemmas about such slots end in.
std::string kind_of(const SlotDistance& slots);

/// Terms of a bound that rests on the longest path in such slots. `Unit:` core cycles.
using TermsOfPath = std::function<std::vector<BoundTerm>(const std::vector<SlotDistance>& slots,
                                                         std::int64_t path)>;

/// Side: upper. The largest sum over all `ways`, each the distances that slots of one path may
/// have. Lemmas are named after the first of them.
Result<SideAnswer> slowest_in_slots(const Problem& problem,
                                    const std::vector<std::vector<SlotDistance>>& ways, Facts facts,
                                    Deadline deadline, const TermsOfPath& terms);

/// Side: lower. The shortest path in the slots of a place where that is above `answer`, which is
/// the bound of any policy.
Result<SideAnswer> slotted_path_from_below(const Problem& problem, SideAnswer answer,
                                           Deadline deadline);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Own delay under time division: the path of one warp that issues only in its own time slots
/// (docs/theory, S17 and S23).

#include "analyzer/launch/memory_path.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/slot_table.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// The launch on one multiprocessor: if all blocks start together (one wave), on the multiprocessor
/// with the most blocks (docs/theory, S17).
ScheduledLaunch on_fullest_multiprocessor(const ScheduledLaunch& launch);

/// Suffix of the ids of certificates for this slot distance.
std::string distance_suffix(const SlotDistance& slots);

/// The same for a warp in any warp slot.
inline constexpr const char* in_any_warp_slot = "-in-any-warp-slot";

/// The time slots of the critical path of a launch (docs/theory, S17).
struct TimeDivisionPath {
    /// Barriers of a block; at each the critical path may change its warp slot.
    std::int64_t barriers = 0;
    bool changes_warp_slot = false; ///< At a barrier, or from block to block.
    /// Accesses go through the caches, and drains are part of their queueing delay (S29).
    bool queues_drains = false;
    std::vector<SlotDistance> distances;
    /// Alternatives for the slot distances of one path. `Shape:` paths[alternative][distance].
    std::vector<std::vector<SlotDistance>> paths;

    /// Suffix of the id of the certificate for such a path.
    [[nodiscard]] std::string id_suffix(const std::vector<SlotDistance>& slots) const;
};

/// Refuses what `barriers_without_early_ends` refuses.
Result<TimeDivisionPath> time_division_path(const TimedKernel& kernel,
                                            const ScheduledLaunch& launch,
                                            const MemoryPath& memory);

/// Longest paths of a warp, one for each alternative of the slot distances of its path, without
/// delays by others.
struct PathInSlots {
    std::vector<SlotDistance> slots;
    SideAnswer isolated;
};
/// Side: upper.
Result<std::vector<PathInSlots>> longest_in_slots(const TimedKernel& kernel,
                                                  const LaunchGeometry& shape,
                                                  const AnalysisRun& run,
                                                  const TimeDivisionPath& critical);

/// Terms of a bound, from the longest path with these slot distances. `Unit:` core cycles.
using TermsOfPath = std::function<std::vector<BoundTerm>(const std::vector<SlotDistance>& slots,
                                                         std::int64_t path)>;

/// Side: upper. The largest sum over all alternatives of the critical path. `text`: of the sums.
/// `has_evidence`: as in `BoundExpression`.
SideAnswer with_terms(const std::vector<PathInSlots>& paths, const TermsOfPath& terms,
                      const std::string& text, bool has_evidence);

/// Side: lower. The largest of `answer`, which is the lower bound of any policy, and the shortest
/// path in the slots of a warp slot.
Result<SideAnswer> own_delay_from_below(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                        const AnalysisRun& run, SideAnswer answer);

} // namespace warpbound::analyzer

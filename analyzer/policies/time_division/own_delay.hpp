#pragma once
/// \file
/// The path of one warp that is chosen in slots of its own only (docs/soundness.md, S17 and S23).

#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/slot_table.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// The launch as it delays itself on one multiprocessor: where all blocks start together, the one
/// that got most (docs/soundness.md, S17).
AnalysisContext as_delayed(const AnalysisContext& context);

/// What the names of lemmas about such slots end in.
std::string kind_of(const SlotDistance& slots);

/// The same where a warp may be in any place.
inline constexpr const char* in_any_warp_slot = "-in-any-warp-slot";

/// Through which slots the critical chain of a launch may go (docs/soundness.md, S17).
struct TimeDivisionPath {
    std::int64_t barriers = 0;  ///< Of a block, at each of which the chain may change its place.
    bool changes_place = false; ///< There, or from block to block.
    std::vector<SlotDistance> places;
    /// The distances that slots of one path may have. `Shape:` paths[way][place].
    std::vector<std::vector<SlotDistance>> paths;

    /// What the name of the lemma about such a path ends in.
    [[nodiscard]] std::string kind(const std::vector<SlotDistance>& slots) const;
};

/// Refuses barriers that paths of a block pass unequally often.
Result<TimeDivisionPath> time_division_path(const AnalysisContext& context);

/// Terms of a bound that rests on the longest path in such slots. `Unit:` core cycles.
using TermsOfPath = std::function<std::vector<BoundTerm>(const std::vector<SlotDistance>& slots,
                                                         std::int64_t path)>;

/// Side: upper. The largest sum over all paths of the chain.
Result<SideAnswer> longest_in_slots(const AnalysisContext& context, const TimeDivisionPath& chain,
                                    Deadline deadline, const TermsOfPath& terms);

/// Side: lower. The shortest path in the slots of a place where that is above `answer`, which is
/// the bound of any policy.
Result<SideAnswer> own_delay_from_below(const AnalysisContext& context, SideAnswer answer,
                                        Deadline deadline);

} // namespace warpbound::analyzer

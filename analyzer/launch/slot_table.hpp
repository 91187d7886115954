#pragma once
/// \file
/// In which order the slots of a scheduler's places follow each other under `variable-rate` (C19 of
/// docs/reference/timing-contract.md), and which slots lie behind others.

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "models/launch/warp_policy.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// The slots of one scheduler, round after round. The last cycle of a slot is its *point*
/// (docs/soundness.md, S17).
class SlotTable {
public:
    /// `places` from 1; `slot`: length of a slot in core cycles.
    SlotTable(const models::WarpPolicy& policy, std::int64_t places, std::int64_t slot);

    [[nodiscard]] std::int64_t places() const { return static_cast<std::int64_t>(slots_.size()); }
    /// Slots until the order repeats itself.
    [[nodiscard]] std::int64_t round() const { return static_cast<std::int64_t>(owners_.size()); }
    [[nodiscard]] std::int64_t slot() const { return slot_; }
    /// `Shape:` owners[slot of a round], the place that it belongs to.
    [[nodiscard]] const std::vector<std::int64_t>& owners() const { return owners_; }
    /// Slots of a place in a round, in order.
    [[nodiscard]] const std::vector<std::int64_t>& slots_of(std::int64_t place) const {
        return slots_[static_cast<std::size_t>(place)];
    }
    /// Places such that every other one sees the slots of all others as one of these does.
    [[nodiscard]] const std::vector<std::int64_t>& kinds() const { return kinds_; }
    /// A place that has all slots may be chosen at any time: 1 apart. `Unit:` core cycles.
    [[nodiscard]] SlotDistance distance(std::int64_t place) const;

private:
    std::int64_t slot_;
    std::vector<std::int64_t> owners_;
    std::vector<std::vector<std::int64_t>> slots_;
    std::vector<std::int64_t> kinds_;
};

/// Counts the points of one place.
class SlotBoundaries {
public:
    SlotBoundaries(const SlotTable& order, std::int64_t place);

    /// Among the `count` slots behind slot `from` of a round.
    [[nodiscard]] std::int64_t behind(std::int64_t from, std::int64_t count) const {
        return before(from + 1 + count) - before(from + 1);
    }
    /// In `count` cycles from a cycle of a round.
    [[nodiscard]] std::int64_t within(std::int64_t from, std::int64_t count) const {
        return before((from + count) / slot_) - before(from / slot_);
    }

private:
    [[nodiscard]] std::int64_t before(std::int64_t slot) const;

    std::int64_t slot_;
    std::vector<std::int64_t> before_; ///< `Shape:` before_[slot], to the end of a round.
};

/// Schedulers of a multiprocessor that have the same number of places, of which the first blocks
/// take equally many.
struct EquivalentSchedulers {
    std::int64_t count = 1;
    SlotTable order;
    std::int64_t warps = 1; ///< Of the first blocks, in the first places.
};
/// Schedulers of a multiprocessor with `shape.resident` blocks, or with all of the launch where it
/// has fewer; those without a place are left out.
std::vector<EquivalentSchedulers> schedulers_of(const models::WarpPolicy& policy,
                                                const LaunchGeometry& shape);

/// How far apart the slots of a warp are, for every kind of place that the first blocks take of a
/// multiprocessor (`schedulers_of`), sorted. A warp that is alone on its scheduler has all slots.
std::vector<SlotDistance> slot_distances(const models::WarpPolicy& policy,
                                         const LaunchGeometry& shape);

/// From the shortest to the longest of all. Requires: one at least.
SlotDistance hull(const std::vector<SlotDistance>& distances);

/// The same for the places of a launch whose warps are chosen in slots; none: one warp, or a policy
/// without slots.
std::optional<SlotDistance> slots_of_any_warp(const models::WarpPolicy& policy,
                                              const LaunchGeometry& shape);

} // namespace warpbound::analyzer

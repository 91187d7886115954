#pragma once
/// \file
/// The TDMA slot table of a scheduler under `variable-rate` (C19 of
/// docs/reference/timing-contract.md): which warp slot owns which time slot.

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "models/launch/warp_policy.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// The time slots of one scheduler, which repeat with a period. The last cycle of a slot is its
/// *slot boundary* (docs/theory, S17).
class SlotTable {
public:
    /// `warp_slots` from 1; `slot`: length of a time slot in core cycles.
    SlotTable(const models::WarpPolicy& policy, models::Warps warp_slots, std::int64_t slot);

    /// As many warps as they hold.
    [[nodiscard]] models::Warps warp_slots() const {
        return models::Warps{static_cast<std::int64_t>(slots_.size())};
    }
    /// Time slots until the table repeats itself.
    [[nodiscard]] std::int64_t period() const { return static_cast<std::int64_t>(owners_.size()); }
    [[nodiscard]] std::int64_t slot_length() const { return slot_; }
    /// `Shape:` owners[time slot of a period]: the warp slot that owns it.
    [[nodiscard]] const std::vector<std::int64_t>& owners() const { return owners_; }
    /// Time slots of a warp slot in a period, in order.
    [[nodiscard]] const std::vector<std::int64_t>& slots_of(std::int64_t warp_slot) const {
        return slots_[static_cast<std::size_t>(warp_slot)];
    }
    /// Warp slots that stand for all: any other one has the same distances to the time slots of all
    /// others as one of these.
    [[nodiscard]] const std::vector<std::int64_t>& representatives() const {
        return representatives_;
    }
    /// Distances between the time slots of a warp slot; 1 where it owns all, as its warp may be
    /// chosen at any time. `Unit:` core cycles.
    [[nodiscard]] SlotDistance distance(std::int64_t warp_slot) const;

private:
    std::int64_t slot_;
    std::vector<std::int64_t> owners_;
    std::vector<std::vector<std::int64_t>> slots_;
    std::vector<std::int64_t> representatives_;
};

/// Counts the slot boundaries of one warp slot.
class SlotBoundaries {
public:
    SlotBoundaries(const SlotTable& table, std::int64_t warp_slot);

    /// Among the `count` time slots after slot `from` of a period.
    [[nodiscard]] std::int64_t after(std::int64_t from, std::int64_t count) const {
        return before(from + 1 + count) - before(from + 1);
    }
    /// In `count` cycles from cycle `from` of a period.
    [[nodiscard]] std::int64_t within(std::int64_t from, std::int64_t count) const {
        return before((from + count) / slot_) - before(from / slot_);
    }

private:
    [[nodiscard]] std::int64_t before(std::int64_t slot) const;

    std::int64_t slot_;
    std::vector<std::int64_t> before_; ///< `Shape:` before_[time slot], to the end of a period.
};

/// Schedulers of a multiprocessor with the same number of warp slots, of which the first resident
/// blocks take equally many.
struct EquivalentSchedulers {
    std::int64_t count = 1;
    SlotTable table;
    models::Warps warps{1}; ///< Of the first resident blocks, in the first warp slots.
};
/// Schedulers of a multiprocessor with `shape.resident` blocks, or with all blocks of the launch
/// where these are fewer; schedulers without a warp slot are left out.
std::vector<EquivalentSchedulers> schedulers_of(const models::WarpPolicy& policy,
                                                const LaunchGeometry& shape);

/// Distances between the time slots of a warp, for every class of equivalent warp slots that the
/// first resident blocks take (`schedulers_of`), sorted. A warp that is alone on its scheduler owns
/// all slots.
std::vector<SlotDistance> slot_distances(const models::WarpPolicy& policy,
                                         const LaunchGeometry& shape);

/// From the shortest to the longest of all. Requires: at least one.
SlotDistance hull(const std::vector<SlotDistance>& distances);

/// The same for all warp slots of a launch under time-division scheduling; none: one warp, or
/// another policy.
std::optional<SlotDistance> slots_of_any_warp(const models::WarpPolicy& policy,
                                              const LaunchGeometry& shape);

} // namespace warpbound::analyzer

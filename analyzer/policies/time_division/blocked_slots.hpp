#pragma once
/// \file
/// Blocked slots: how many slot boundaries of a warp lie within the occupancy of a shared resource
/// by instructions of other warps (docs/theory, S17).

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/slot_table.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// Occupancy of a shared resource by one instruction. `Unit:` core cycles from its issue; 0: none.
struct ResourceOccupancy {
    std::int64_t cycles = 0;
    bool core = false; ///< The resource belongs to the multiprocessor, not to a scheduler.
    /// Of the stages in front of the units (S50): the first two cycles block no slot, and all
    /// others at most so many, slots of the instruction's own warp included. None: another
    /// resource.
    std::optional<std::int64_t> most_blocked{};
    friend auto operator<=>(const ResourceOccupancy&, const ResourceOccupancy&) = default;
};

/// Slot boundaries of a warp that another one blocks.
struct SlotsByUse {
    /// Only instructions that count when a warp of the same block executes them.
    bool of_own_block = false;
    std::vector<std::int64_t> slots; ///< Of one use of each distinct occupancy.
    friend auto operator<=>(const SlotsByUse&, const SlotsByUse&) = default;
};

/// Slot boundaries that warps block, and how many warps each number counts for. Of several ones the
/// one that compares as the largest has the most slots. Side: upper.
struct SlotsByWarps {
    std::int64_t slots = 0; ///< Of all warps.
    std::map<SlotsByUse, std::int64_t> warps;

    /// `count` times what another one counts.
    void add(const SlotsByWarps& other, std::int64_t count = 1);
    friend auto operator<=>(const SlotsByWarps&, const SlotsByWarps&) = default;
};

/// Time of blocked slots, as sums along paths of the warps that block them. Of several ones the one
/// that compares as the largest takes longest. `Unit:` core cycles. Side: upper.
struct BlockedTime {
    std::int64_t cycles = 0; ///< By all warps.
    /// Warps, by what the instructions of one of them add to its sum.
    std::map<InstructionCosts, std::int64_t> warps;

    /// `count` times what another one takes.
    void add(const BlockedTime& other, std::int64_t count = 1);
    friend auto operator<=>(const BlockedTime&, const BlockedTime&) = default;
};

/// Slot boundaries of one warp within the occupancies of instructions. Side: upper.
class BlockedSlots {
public:
    /// `occupancies`: by instruction of the function. `of_own_block`: instructions that count when
    /// a warp of the same block executes them; empty: all.
    BlockedSlots(const TimedKernel& kernel, const ScheduledLaunch& launch,
                 std::vector<ResourceOccupancy> occupancies, std::vector<bool> of_own_block = {});

    /// In one wave: blocked slots of the warp in `warp_slot` of one of `schedulers[own]`, by all
    /// others.
    SlotsByWarps of_warp_slot(const std::vector<EquivalentSchedulers>& schedulers, std::size_t own,
                              std::int64_t warp_slot);
    /// The same, by its own instructions: of two that issue at one slot boundary (gap 0, C4) the
    /// second one is blocked.
    std::int64_t by_itself(const SlotTable& table, std::int64_t warp_slot);
    /// In one wave: what a critical path through warps of `block` loses in blocked slots; each
    /// counts as one slot distance.
    BlockedTime cycles_of_block(std::int64_t block);
    /// The same where all resources are stages of schedulers.
    BlockedTime cycles_in_stages_of_block(std::int64_t block);
    /// Time of blocked slots that take so many cycles each.
    [[nodiscard]] BlockedTime time_of(const SlotsByWarps& blocked, std::int64_t cycles) const;

private:
    /// Slot boundaries within one occupancy. `Shape:` blocked[distinct occupancy].
    using Blocked = std::vector<std::int64_t>;

    /// Slot boundaries within one occupancy by the warp in `other`, of the same scheduler.
    [[nodiscard]] static std::int64_t within_occupancy(const ResourceOccupancy& occupancy,
                                                       const SlotBoundaries& boundaries,
                                                       const SlotTable& table, std::int64_t other);
    /// Whether the warps in two warp slots, of any schedulers, are always of one block.
    [[nodiscard]] bool in_one_block(std::int64_t warp_slot, std::int64_t other) const;
    SlotsByWarps by_warp_slot(const SlotBoundaries& boundaries, const SlotTable& table,
                              std::int64_t warp_slot, std::int64_t other);
    SlotsByWarps by_scheduler(const SlotBoundaries& boundaries, const SlotTable& table,
                              std::int64_t warp_slot);
    SlotsByWarps by_any_scheduler(models::Warps warp_slots, std::int64_t shortest, bool own_block);
    /// Of the scheduler whose first warp has this index, on a full multiprocessor.
    [[nodiscard]] SlotTable table_of_full_scheduler(std::int64_t first) const;
    /// Cycles of a path with these slot distances that occupancies of stages block.
    [[nodiscard]] Blocked cycles_in_stages(const SlotDistance& slots) const;
    /// What an instruction adds to the sum of a warp.
    [[nodiscard]] InstructionCosts costs_of(const SlotsByUse& blocked, std::int64_t cycles) const;
    [[nodiscard]] bool counts_some_only(bool own_block) const {
        return own_block && !of_own_block_.empty();
    }
    /// What warps block of which each one blocks so much.
    SlotsByWarps by_warps(const Blocked& blocked, bool own_block, std::int64_t count = 1);
    /// Largest sum over all occupancies of a warp.
    std::int64_t most(const Blocked& blocked, bool own_block = false);

    const TimedKernel& kernel_;
    const ScheduledLaunch& launch_;
    std::vector<ResourceOccupancy> occupancies_;
    std::vector<bool> of_own_block_;
    std::vector<ResourceOccupancy> distinct_; ///< Distinct occupancies, sorted.
    std::map<SlotsByUse, std::int64_t> memo_;
};

} // namespace warpbound::analyzer

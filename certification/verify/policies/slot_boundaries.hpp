#pragma once
/// \file
/// Slot boundaries of a warp at which other warps hold something that it needs (S17 and S50 of
/// docs/theory): how many, for each warp slot, by slot tables.

#include "certification/verify/interference/demand.hpp"
#include "certification/verify/policies/slot_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// What an instruction holds.
struct Hold {
    /// From its issue on; 0: nothing. In the stages in front of the units: L + 2.
    std::int64_t cycles = 0;
    bool of_multiprocessor = false; ///< Else of a scheduler.
    /// In those stages: its tokens (S50, lemma 1).
    std::optional<std::int64_t> tokens{};

    friend auto operator<=>(const Hold&, const Hold&) = default;
};

/// Boundaries that uses by one warp block.
struct BlockedByUses {
    bool between_barriers = false;        ///< Only uses that count in a barrier interval.
    std::vector<std::int64_t> boundaries; ///< Of one use of each different hold.

    friend auto operator<=>(const BlockedByUses&, const BlockedByUses&) = default;
};

/// Boundaries that warps block; of several the largest one has the largest sum.
struct BlockedByWarps {
    std::int64_t sum = 0;
    std::map<BlockedByUses, std::int64_t> warps;

    friend auto operator<=>(const BlockedByWarps&, const BlockedByWarps&) = default;
};

/// Time of blocked slots; of several the largest one takes longest. `Unit:` core cycles.
struct BlockedTime {
    std::int64_t cycles = 0;
    std::map<DemandTable, std::int64_t> warps; ///< By what their instructions add.

    void add(const BlockedTime& other, std::int64_t count);
    friend auto operator<=>(const BlockedTime&, const BlockedTime&) = default;
};

/// Of a full multiprocessor in one wave. Side: upper.
class BoundariesHeld {
public:
    /// `holds`: by instruction. `between`: those that count, of warps of the path's own block;
    /// empty: all.
    BoundariesHeld(const TimedCode& code, std::vector<Hold> holds, std::vector<bool> between = {});

    [[nodiscard]] const std::vector<SchedulerSlots>& schedulers() const { return schedulers_; }
    /// Of a warp slot, in the phase of other schedulers in which warps block most.
    [[nodiscard]] BlockedByWarps of_slot(std::size_t scheduler, std::int64_t warp_slot);
    /// Of a warp slot by its own warp (S17, lemma 2 (b)).
    [[nodiscard]] std::int64_t of_slot_by_own_uses(std::size_t scheduler, std::int64_t warp_slot);
    /// Of a path through any warp slots of a block (S17, lemma 3): by ports, and by stages.
    [[nodiscard]] BlockedTime of_block_by_ports(std::int64_t block);
    [[nodiscard]] BlockedTime of_block_by_stages(std::int64_t block);
    /// Each takes `slot` cycles.
    [[nodiscard]] BlockedTime in_cycles(const BlockedByWarps& blocked, std::int64_t slot) const;

private:
    /// The time slots of one warp slot.
    class OwnSlots {
    public:
        OwnSlots(const SchedulerSlots& slots, std::int64_t warp_slot);
        /// Among the first `count` time slots.
        [[nodiscard]] std::int64_t among(std::int64_t count) const;
        /// Slot boundaries among the first `cycles` cycles: the last cycles of these time slots.
        [[nodiscard]] std::int64_t boundaries(std::int64_t cycles) const {
            return among(cycles / duration_);
        }
        [[nodiscard]] const std::vector<std::int64_t>& numbers() const { return own_; }

    private:
        std::int64_t period_;
        std::int64_t duration_;
        std::vector<std::int64_t> own_; ///< Of one period.
    };
    using Uses = std::vector<std::int64_t>;

    [[nodiscard]] const OwnSlots& own(std::size_t scheduler, std::int64_t warp_slot) const {
        return own_[scheduler][static_cast<std::size_t>(warp_slot)];
    }
    template <typename Count> Uses each_hold(Count count) const;
    [[nodiscard]] std::int64_t after_slots_of(const Hold& hold, std::size_t scheduler,
                                              std::int64_t warp_slot, std::int64_t other) const;
    [[nodiscard]] Uses on_same_scheduler(std::size_t scheduler, std::int64_t warp_slot,
                                         std::int64_t other) const;
    [[nodiscard]] Uses from_any_phase(std::int64_t shortest_distance) const;
    [[nodiscard]] Uses at_phase(std::size_t scheduler, std::int64_t warp_slot, std::int64_t other,
                                std::int64_t phase) const;
    [[nodiscard]] BlockedByWarps in_worst_phase(std::size_t scheduler, std::int64_t warp_slot);
    [[nodiscard]] bool belong_together(std::int64_t warp_slot, std::int64_t other) const;
    /// Sum along the path of a warp where it is largest.
    std::int64_t largest_sum(const BlockedByUses& uses);
    void add(BlockedByWarps& all, Uses uses, bool of_own_block, std::int64_t warps);
    [[nodiscard]] DemandTable table_of(const BlockedByUses& uses, std::int64_t slot) const;

    const TimedCode& code_;
    std::vector<Hold> holds_;
    std::vector<bool> between_;
    std::vector<Hold> different_; ///< Each once, in order.
    std::vector<SchedulerSlots> schedulers_;
    std::vector<std::vector<OwnSlots>> own_; ///< `Shape:` own[scheduler][warp slot].
    std::map<BlockedByUses, std::int64_t> sums_;
};

} // namespace warpbound::certification::verify

#pragma once
/// \file
/// Time division behind memory queues: slots of a warp in which the queue of its scheduler has no
/// place (docs/theory, S78).

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/microarchitecture/pipeline_model.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// The kernel as its warps issue in time slots: without memory queues, but with the largest lags of
/// results and source reads, and no port of the memory path. Side: upper.
TimedKernel in_slots_behind_queues(const TimedKernel& kernel, const LaunchGeometry& shape);

/// How the places of a memory queue block slots of a critical path. Made from the kernel behind
/// queues.
class QueueSlots {
public:
    /// `changes_warp_slot`: whether the critical path does, so that all warps count.
    QueueSlots(const TimedKernel& kernel, const LaunchGeometry& shape, bool changes_warp_slot);

    /// Whether a slot may be blocked: not where all memory instructions that count fit in a queue.
    [[nodiscard]] bool may_block() const { return may_block_; }
    /// Warps whose memory instructions count.
    [[nodiscard]] models::Warps warps() const { return warps_; }
    /// The longest time of slots of the path that each instruction blocks, where the path may go
    /// from warp slot to warp slot with these slot distances. Side: upper.
    [[nodiscard]] InstructionCosts blocked_time(const std::vector<SlotDistance>& distances) const;
    /// In one wave, at barriers: warps whose memory instructions count where those do apart that a
    /// queue holds when a barrier opens (docs/theory, S78, lemma 6).
    [[nodiscard]] models::Warps warps_between_barriers() const;
    /// The longest time of slots of such a path that what a queue holds at one instant blocks.
    /// Side: upper.
    [[nodiscard]] std::int64_t
    blocked_at_barrier(const std::vector<SlotDistance>& distances) const {
        return time_in_stay(distances);
    }
    /// The longest time of slots of such a path that are blocked besides, in several waves: by what
    /// a queue holds when the last block starts, and by the boundaries around that. Side: upper.
    [[nodiscard]] std::int64_t
    blocked_at_last_start(const std::vector<SlotDistance>& distances) const;

private:
    /// The longest time of slots whose boundaries lie in one stay.
    [[nodiscard]] std::int64_t time_in_stay(const std::vector<SlotDistance>& distances) const;

    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    models::Warps warps_;
    /// Some blocks are on multiprocessors that the critical path does not visit.
    bool leaves_out_blocks_ = false;
    std::int64_t stay_ = 0;
    bool may_block_ = false;
};

} // namespace warpbound::analyzer

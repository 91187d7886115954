#include "analyzer/policies/time_division/queue_slots.hpp"

#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/launch/slot_table.hpp"
#include "analyzer/policies/time_division/stage_slots.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

using models::times;

TimedKernel in_slots_behind_queues(const TimedKernel& kernel, const LaunchGeometry& shape) {
    return without_queues(kernel, longest_lags(kernel, shape));
}

QueueSlots::QueueSlots(const TimedKernel& kernel, const LaunchGeometry& shape,
                       bool changes_warp_slot)
    : kernel_{kernel}, shape_{shape}, warps_{changes_warp_slot
                                                 ? shape.warps()
                                                 : shape.on_one_scheduler(shape.warps())},
      stay_{longest_stay(kernel, shape)} {
    if (shape.waves() > 1 && shape.multiprocessors > 1) {
        warps_ = shape.warps_along_critical_path();
        leaves_out_blocks_ = warps_ < shape.warps();
    }
    std::int64_t places = 0;
    const InstructionCosts queued =
        per_instruction(kernel, [&](std::size_t, const models::InstructionTiming& timing) {
            if (timing.queue) places = timing.queue->places;
            return std::int64_t{timing.queue ? 1 : 0};
        });
    may_block_ = models::times(most_on_a_path(kernel, queued), warps_) > places ||
                 (leaves_out_blocks_ && places > 0);
}

models::Warps QueueSlots::warps_between_barriers() const {
    // Of the critical path's block those of the scheduler that it is on.
    return shape_.on_one_scheduler(shape_.warps_per_block) + shape_.warps() -
           shape_.warps_per_block;
}

std::int64_t QueueSlots::time_in_stay(const std::vector<SlotDistance>& distances) const {
    if (distances.size() == 1)
        return times(boundaries_on_path(shape_, stay_, distances.front()),
                     distances.front().longest);
    std::int64_t after_first = 0;
    for (const SlotDistance& slots : distances) {
        const std::int64_t distance =
            std::max<std::int64_t>(1, slots.shortest - (shape_.issue_slot.hi - 1));
        after_first =
            std::max(after_first, models::divide_up(times(stay_ - 1, slots.longest), distance));
    }
    return models::plus(after_first, hull(distances).longest);
}

InstructionCosts QueueSlots::blocked_time(const std::vector<SlotDistance>& distances) const {
    // At a blocked slot all places are taken.
    const std::int64_t in_stay = time_in_stay(distances);
    return per_instruction(
        kernel_, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return timing.queue ? models::divide_up(in_stay, timing.queue->places) : 0;
        });
}

std::int64_t QueueSlots::blocked_at_last_start(const std::vector<SlotDistance>& distances) const {
    if (shape_.waves() == 1) return 0;
    // As many instructions as a queue has places, each in its stay.
    return models::plus(hull(distances).longest, leaves_out_blocks_ ? time_in_stay(distances) : 0);
}

} // namespace warpbound::analyzer

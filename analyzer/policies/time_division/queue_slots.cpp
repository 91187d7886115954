#include "analyzer/policies/time_division/queue_slots.hpp"

#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/policies/time_division/stage_slots.hpp"
#include "models/formulas/whole_numbers.hpp"

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
    std::int64_t places = 0;
    const InstructionCosts queued =
        per_instruction(kernel, [&](std::size_t, const models::InstructionTiming& timing) {
            if (timing.queue) places = timing.queue->places;
            return std::int64_t{timing.queue ? 1 : 0};
        });
    may_block_ = times(most_on_a_path(kernel, queued), warps_) > places;
}

InstructionCosts QueueSlots::blocked_time(const SlotDistance& slots) const {
    // At a blocked slot all places are taken.
    const std::int64_t in_queue = times(boundaries_on_path(shape_, stay_, slots), slots.longest);
    return per_instruction(
        kernel_, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return timing.queue ? models::divide_up(in_queue, timing.queue->places) : 0;
        });
}

} // namespace warpbound::analyzer

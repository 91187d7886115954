#include "analyzer/policies/time_division/stage_slots.hpp"

#include "models/units.hpp"

#include <algorithm>

namespace warpbound::analyzer {

InstructionCosts slots_held_by_reads(const TimedKernel& kernel, const LaunchGeometry& shape) {
    InstructionCosts slots = grant_distances(kernel, shape);
    for (std::int64_t& most : slots)
        most = std::max<std::int64_t>(0, most - 1);
    return slots;
}

std::int64_t cycles_of_hold(const TimedKernel& kernel, const LaunchGeometry& shape) {
    return longest_read_lag(kernel, shape);
}

std::int64_t boundaries_on_path(const LaunchGeometry& shape, std::int64_t cycles,
                                const SlotDistance& slots) {
    if (cycles <= 0) return 0;
    // The issue that a blocked slot delays is within the next slot of its warp.
    const std::int64_t distance =
        std::max<std::int64_t>(1, slots.shortest - (shape.issue_slot.hi - 1));
    return 1 + (cycles - 1) / distance;
}

InstructionCosts time_held_by_reads(const TimedKernel& kernel, const LaunchGeometry& shape,
                                    const SlotDistance& slots) {
    InstructionCosts times = slots_held_by_reads(kernel, shape);
    const std::int64_t boundaries = boundaries_on_path(shape, cycles_of_hold(kernel, shape), slots);
    for (std::int64_t& cycles : times)
        cycles = models::times(std::min(cycles, boundaries), slots.longest);
    return times;
}

} // namespace warpbound::analyzer

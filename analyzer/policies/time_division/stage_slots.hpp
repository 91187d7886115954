#pragma once
/// \file
/// Time division behind read ports: slots in which the stages in front of the units hold a warp,
/// because of the register reads of instructions of its scheduler (docs/theory, S50).

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/microarchitecture/pipeline_model.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// By instruction: the most slots that its reads, or the latch of its unit, may block. All 0 where
/// no grant lags. Side: upper.
InstructionCosts slots_held_by_reads(const TimedKernel& kernel, const LaunchGeometry& shape);
/// Cycles, from the second one after its issue on, in which an instruction may block slots; 0 where
/// no grant lags. Side: upper.
std::int64_t cycles_of_hold(const TimedKernel& kernel, const LaunchGeometry& shape);
/// Slot boundaries of a critical path within so many cycles, where the path may go from warp slot
/// to warp slot with these slot distances. Side: upper.
std::int64_t boundaries_on_path(const LaunchGeometry& shape, std::int64_t cycles,
                                const SlotDistance& slots);
/// The longest time of slots of such a path that an instruction blocks in the stages. Side: upper.
InstructionCosts time_held_by_reads(const TimedKernel& kernel, const LaunchGeometry& shape,
                                    const SlotDistance& slots);

} // namespace warpbound::analyzer

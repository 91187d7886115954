#pragma once
/// \file
/// What memory queues (C71 to C74) delay: the demand of instructions on them, and how long an
/// instruction waits there (docs/theory, S37, S38, S78).

#include "analyzer/interference/instruction_costs.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Whether an instruction on a path waits in a memory queue (C71).
bool uses_memory_queue(const TimedKernel& kernel);
/// By how much an instruction raises the backlog of the queue of its scheduler (S38). Side: upper.
InstructionCosts backlog_costs(const TimedKernel& kernel);
/// The same; 0 where each warp has a queue to itself, which is in its state then.
InstructionCosts queue_demand(const TimedKernel& kernel, const LaunchGeometry& shape);
/// Cycles of the lag of an instruction in which the backlog of its queue need not fall (S38, lemma
/// 2). Side: upper.
InstructionCosts lags_without_backlog(const TimedKernel& kernel);
/// How long memory queues delay the critical path when it changes to another warp, at most. Side:
/// upper.
std::int64_t queue_carry_in(const TimedKernel& kernel, const LaunchGeometry& shape);
/// Time between two hand-overs of a scheduler that an instruction takes. Side: lower.
InstructionCosts hand_over_costs(const TimedKernel& kernel);

/// From the issue of an instruction to its hand-over, whatever others hand over (S78, lemma 1); 0
/// where none waits in a queue. `Unit:` core cycles. Side: upper.
std::int64_t longest_stay(const TimedKernel& kernel, const LaunchGeometry& shape);
/// The largest lag of each instruction: its longest stay beyond its entry (S78). Side: upper.
InstructionCosts longest_lags(const TimedKernel& kernel, const LaunchGeometry& shape);

/// The kernel with the results and source reads of instructions that wait in a queue no earlier
/// than their entry, and `lags` later; these instructions hold no port. Side: upper.
TimedKernel with_queue_lags(const TimedKernel& kernel, const InstructionCosts& lags);
/// The same on a machine without memory queues.
TimedKernel without_queues(const TimedKernel& kernel, const InstructionCosts& lags);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Memory queues of the schedulers (rules C71 to C74 of docs/reference/timing-contract.md), as
/// steps S37, S38 and S78 of docs/theory count them.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// Whether an instruction that can be reached waits in a memory queue.
bool has_queued_instructions(const TimedCode& code);
/// Whether one does so behind what other warps of its scheduler issued.
bool queues_behind_other_warps(const TimedCode& code);
/// Adds c of S38, and what a scheduler takes for hand-overs in every run. Requires: the tables have
/// issue slots and ports, and no register reads yet.
void add_memory_queue_demand(const TimedCode& code, DemandTables& tables);
/// What queues may still hand over when the critical path goes over to another warp. Side: upper.
std::int64_t memory_queue_carry_in(const TimedCode& code);

/// c of S38 by instruction; 0 of those that wait in no queue. Side: upper.
DemandTable backlog_raises(const TimedCode& code);
/// l of S38 for an instruction that waits in a queue. Side: upper.
std::int64_t lag_beside_backlog(const TimedCode& code, const models::QueueTiming& queue);
/// From the issue of an instruction to its result or source read with all passes, which takes
/// `first` with one. Behind a queue (S78) no earlier than its entry, and later by the cycles in
/// which the backlog need not fall, but without delays by the queue. Side: upper.
std::int64_t longest_without_backlog(const TimedCode& code, const models::InstructionTiming& timing,
                                     const models::Interval& first);
/// S78, time slots: lemma 1's bound on the time from an issue to its hand-over. Side: upper.
std::int64_t stay_in_queue(const TimedCode& code);
/// Places of a queue; 0 where no instruction waits in one.
std::int64_t places_of_queue(const TimedCode& code);

} // namespace warpbound::certification::verify

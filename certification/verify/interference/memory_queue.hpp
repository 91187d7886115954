#pragma once
/// \file
/// Memory queues of the schedulers (rules C71 to C74 of docs/reference/timing-contract.md), as
/// steps S37 and S38 of docs/theory count them.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// Whether an instruction that can be reached waits in a memory queue.
bool has_queued_instructions(const TimedCode& code);
/// Adds c of S38, and what a scheduler takes for hand-overs in every run. Requires: the tables have
/// issue slots and ports, and no register reads yet.
void add_memory_queue_demand(const TimedCode& code, DemandTables& tables);
/// What queues may still hand over when the critical path goes over to another warp. Side: upper.
std::int64_t memory_queue_carry_in(const TimedCode& code);

} // namespace warpbound::certification::verify

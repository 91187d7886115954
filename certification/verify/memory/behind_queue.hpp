#pragma once
/// \file
/// Loads through the caches behind memory queues (rule C74 of docs/reference/timing-contract.md,
/// step S75 of docs/theory).

#include "certification/verify/evidence.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// What of the latency of each level passes before the hand-over of a load; 0 without memory
/// queues. `Unit:` core cycles. Throws `Finding` when a value is unknown.
std::int64_t time_to_hand_over(const KernelCase& kernel);

/// Throws `Finding` when the description does not satisfy what C74 expects of it: latencies beyond
/// the hand-over, and a load queue of more entries than the memory queues of an SM have places.
void check_levels_behind_queue(const KernelCase& kernel);

} // namespace warpbound::certification::verify

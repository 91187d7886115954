#pragma once
/// \file
/// Loads through the caches behind a memory queue (docs/theory, S75).

#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/memory/traffic.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/cached_loads.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// By how much more than the entry that the latencies of the levels contain a load through the
/// caches may take to its hand-over, without waits; 0 without a memory queue.
/// `Unit:` core cycles. Side: upper.
inline std::int64_t latest_hand_over(const models::InstructionTiming& load,
                                     const models::Architecture& architecture) {
    return load.queue ? load.queue->entry.hi - models::entry_of_cached_loads(architecture) : 0;
}

/// Whether no load waits for an entry of the load queue, as the traces of S22a, S22c and S57 need
/// behind a memory queue. Without one they need nothing.
inline bool keeps_order_of_hand_overs(const models::Architecture& architecture,
                                      const MemoryParameters& caches, const Traffic& traffic) {
    return !architecture.has_memory_queue() || traffic.outstanding_loads <= caches.load_queue;
}

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Stores that drain from the write buffer while a block slot is refilled: no critical path waits
/// for them (docs/theory, S82).

#include "analyzer/launch/memory_path.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// The last stores before a block ends.
struct UnawaitedDrains {
    /// So many of them do not fill the write buffer. Side: lower.
    std::int64_t stores = 0;
    /// Drain time of a store beyond the occupancy of its port, at least. `Unit:` core cycles. Side:
    /// lower, of the times that upper bounds count.
    std::int64_t of_store = 0;
    /// Occupancy of the port by a store that counts with its drain (S52). `Unit:` core cycles.
    /// Side: upper.
    std::int64_t longest_port = 0;

    /// What counts with the stores of a launch, and not on a path with the refill of a block slot.
    /// `of_block`: the count of the stores of the block that was in it. `Unit:` core cycles. Side:
    /// lower.
    [[nodiscard]] std::int64_t in_refill(std::int64_t of_block) const;
};

/// `kernel`: with the ports of all stores. None: not known, of policies that do not conserve work
/// by themselves, of accesses through the caches and of memory queues.
std::optional<UnawaitedDrains> unawaited_drains(const TimedKernel& kernel,
                                                const ScheduledLaunch& launch,
                                                const MemoryPath& memory);

} // namespace warpbound::analyzer

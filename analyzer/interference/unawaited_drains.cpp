#include "analyzer/interference/unawaited_drains.hpp"

#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::analyzer {

std::int64_t UnawaitedDrains::in_refill(std::int64_t of_block) const {
    if (stores <= 0) return 0;
    // A block with fewer stores than that: all of its count, but for their ports.
    const std::int64_t of_few = of_block - models::times(stores - 1, longest_port);
    return std::max<std::int64_t>(0, std::min(models::times(stores, of_store), of_few));
}

std::optional<UnawaitedDrains> unawaited_drains(const TimedKernel& kernel,
                                                const ScheduledLaunch& launch,
                                                const MemoryPath& memory) {
    const bool conserves = launch.guarantee() == models::PolicyGuarantee::WorkConserving;
    if (!conserves || memory.caches || uses_memory_queue(kernel)) return std::nullopt;
    const InstructionCosts drains = drain_costs(kernel, Side::Upper);
    std::optional<std::int64_t> least;
    UnawaitedDrains unawaited;
    for (std::size_t i = 0; i < drains.size(); ++i) {
        if (!enters_write_buffer(kernel, i)) continue;
        const std::int64_t port = models::occupancy_of_port(kernel.timings[i].value()).hi;
        // A longer occupancy counts apart from the drain.
        const std::int64_t covered = port <= drains[i] ? port : 0;
        least = std::min(least.value_or(drains[i] - covered), drains[i] - covered);
        unawaited.longest_port = std::max(unawaited.longest_port, covered);
    }
    unawaited.of_store = least.value_or(0);
    unawaited.stores = std::max<std::int64_t>(0, kernel.write_buffer.entries.lo - 1);
    return unawaited;
}

} // namespace warpbound::analyzer

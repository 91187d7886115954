#pragma once
/// \file
/// The parameters of a simulated machine that do not depend on the kernel.

#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/decode/instruction_cache_shape.hpp"
#include "harness/simulator/decode/memory_shape.hpp"
#include "harness/simulator/decode/pipeline_shape.hpp"
#include "harness/simulator/decode/residency.hpp"
#include "models/launch/warp_policy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpbound::harness::simulator {

/// For how long a store occupies the exit of the write buffer (C15, C94).
struct DrainShape {
    Range of_transaction;
    Range of_sector;
    std::int64_t sectors_of_line = 1;

    /// `most_sectors`: that the lanes of the store touch.
    [[nodiscard]] std::int64_t draw(std::int64_t transactions, std::int64_t most_sectors,
                                    RandomSource& random) const {
        const std::int64_t by_transaction = transactions * random.draw(of_transaction);
        const std::int64_t sectors = std::min(transactions * sectors_of_line, most_sectors);
        return std::max(by_transaction, sectors * random.draw(of_sector));
    }
};

struct MachineShape {
    std::size_t multiprocessors = 1;
    models::WarpPolicy policy;
    std::size_t schedulers = 1; ///< Of each SM.
    Range issue_slot{1, 1};
    std::optional<Range> counter_delay; ///< None: an increment is seen at once (C85).
    std::size_t warp_ports = 0;
    std::size_t partition_ports = 0;
    std::size_t core_ports = 0;
    Capacity capacity;           ///< Of each SM.
    std::int64_t warp_slots = 0; ///< Of each SM: hardware warp indices in use.
    bool places_by_room = false; ///< A block goes to an SM with the most room (C98).
    /// From the end of a block to the first cycle of the block that replaces it.
    /// Present when a block may have to wait for free resources.
    std::optional<Range> replacement;
    std::optional<Range> start;
    /// Present when a store can reach the write buffer.
    std::optional<Range> buffer_entries;
    std::optional<DrainShape> buffer_drain;
    std::optional<FetchShape> fetch;                         ///< None: perfect (C17).
    std::optional<InstructionCacheShape> instruction_caches; ///< None: perfect (C17).
    std::optional<RegisterFileShape> register_file;          ///< None: perfect (C17).
    std::optional<ReadPortsShape> read_ports;                ///< None: perfect (C17).
    std::optional<MemoryQueueShape> memory_queue;            ///< None: C7 and C12 hold instead.
    std::optional<LineCacheShape> constants;                 ///< None: perfect (C17).
    std::optional<OperandCacheShape> operand_caches;         ///< None: perfect (C17).
    /// Present when an access can go through the caches. All stores then drain into the L2.
    std::optional<MemoryShape> memory;
    std::optional<AtomicShape> atomics; ///< Present when a global atomic can execute (C57).
};

} // namespace warpbound::harness::simulator

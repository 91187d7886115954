#pragma once
/// \file
/// Messages to and from the load/store units: issued accesses, results, requests to the L2.

#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/decode/access_code.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpbound::harness::simulator {

/// Scheduler or operand collectors to load/store unit: a store, or a load through the caches,
/// arrives in this cycle.
struct MemoryIssue {
    bool store = false;
    std::size_t tag = 0;     ///< Identifies the access at its sender: the warp slot, for instance.
    std::size_t launch = 0;  ///< Number in the run.
    int warp = 0;            ///< Number of the warp in the run.
    std::int64_t number = 0; ///< Of the instruction among those that the warp issued.
    const AccessCode* access = nullptr; ///< Null: a store that ends in the write buffer.
    models::WarpAccess execution;
    std::uint64_t active = 0;                                ///< Lanes that access memory.
    std::shared_ptr<const models::LaneAddresses> recorded{}; ///< Replaces the pattern of `access`.
    std::int64_t passes = 1;
    std::int64_t most_sectors = 0; ///< Of a store (C94).
    std::int64_t pass_cost = 0;    ///< Cycles between two lines of a load.
};

/// Scheduler or operand collectors to the atomic units of the L2: a global atomic began in this
/// cycle.
struct AtomicIssue {
    MemoryIssue access;          ///< `access` is null where its addresses are not known.
    std::size_t instruction = 0; ///< Index into the function.
    std::int64_t delay = 0;      ///< From its beginning to its result, when it never waits.
    Range slice_time;            ///< Of each transaction.
};

/// Load/store unit or atomic units to sender: the result time of a load, at least one cycle ahead,
/// or of an atomic.
struct ResultNotified {
    std::size_t tag = 0; ///< As in the issue.
    int warp = 0;        ///< Number of the warp in the run.
    std::int64_t number = 0;
    std::int64_t at = 0;
};

/// Load/store unit to the owner of the entry counts: entries of the load queue and the write buffer
/// that are free from the next cycle on.
struct EntriesFreed {
    std::size_t loads = 0;
    std::size_t stores = 0;
};

/// Load/store unit to memory system: sectors of one L1 line, read from or written to the L2.
struct MemoryRequest {
    std::uint32_t id = 0; ///< Of a read: its index at the load/store unit.
    bool write = false;
    std::uint64_t address = 0; ///< Of the line.
    std::uint64_t sectors = 0; ///< Of the L1.
    std::int64_t at = 0;       ///< The cycle in which it arrives at its slice.
    std::int64_t transit = 0;  ///< Cycles in the interconnect.
    int warp = 0;
};

/// Memory system to load/store unit.
struct MemoryAnswer {
    enum class Kind {
        Accepted, ///< A slice accepted a request.
        Coming    ///< The sectors of a read arrive at the L1 at `at`.
    };
    Kind kind = Kind::Accepted;
    std::uint32_t id = 0;
    std::int64_t at = 0;
};

} // namespace warpbound::harness::simulator

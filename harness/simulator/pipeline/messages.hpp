#pragma once
/// \file
/// Messages between the warp schedulers and the fetch, constant cache and operand collectors of an
/// SM.

#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/memory/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

struct KernelCode;

/// Scheduler to fetch: the instruction buffer of a warp is empty (C43).
struct FetchRequest {
    std::size_t warp_slot = 0;   ///< On the SM.
    int warp = 0;                ///< Number of the warp in the run.
    std::size_t instruction = 0; ///< The first one wanted; at most one past the end of the text.
    std::uint64_t line = 0;      ///< Of the instruction cache.
    std::size_t count = 0;       ///< Instructions from there to the end of the text, limited to
                                 ///< what one fetch delivers.
    std::int64_t from = 0;       ///< The first cycle in which a port may serve it.
};

/// Fetch to scheduler: instructions are in the warp's buffer and may issue from the next cycle on.
struct Fetched {
    std::size_t warp_slot = 0; ///< In the scheduler.
    std::size_t count = 0;
};

/// Scheduler to L1 instruction cache: lines that follow each other in the text (C68).
struct LineRequest {
    std::uint64_t number = 0; ///< Among the requests of the scheduler.
    int warp = 0;             ///< Number of the warp in the run.
    std::uint64_t first = 0;  ///< The line that the warp needs.
    std::size_t count = 1;
};

/// L1 instruction cache to scheduler, in the same cycle: when the lines arrive.
struct LineArrivals {
    std::uint64_t number = 0; ///< Of the request.
    std::uint64_t first = 0;
    std::vector<std::int64_t> at; ///< Per line.
};

/// Scheduler to constant cache: the next instruction of a warp needs these lines, and every other
/// condition of the warp on its issue has a known end.
struct ConstantRequest {
    std::size_t warp_slot = 0; ///< On the SM.
    int warp = 0;              ///< Number of the warp in the run.
    std::vector<std::uint64_t> lines;
    std::int64_t from = 0; ///< The cycle in which they are looked up.
};

/// Constant cache to scheduler: all requested lines are present from `at` on.
struct ConstantAnswer {
    std::size_t warp_slot = 0; ///< In the scheduler.
    std::int64_t at = 0;
};

/// Scheduler to operand collectors: an instruction issued. `Unit:` core cycles.
struct CollectOrder {
    const KernelCode* code = nullptr;
    std::size_t launch = 0;
    int warp = 0; ///< Number of the warp in the run.
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t occupancy = 0;              ///< Of the execution unit.
    std::int64_t delay = 0;                  ///< From the entry into the unit to the result.
    std::optional<std::int64_t> source_read; ///< From the entry to the release of a read barrier.
    std::size_t pool = 0;
    std::size_t warp_slot = 0; ///< On the SM.
    bool goes_to_memory = false;
    MemoryIssue memory{};                ///< What the unit sends to the load/store unit.
    std::optional<AtomicIssue> atomic{}; ///< What it sends to the atomic units of the L2.
};

/// Operand collectors to scheduler: an instruction entered its unit, or all lines of its load are
/// known to arrive; the times of its effects are now known.
struct ResultNotice {
    std::size_t warp_slot = 0; ///< In the scheduler.
    std::size_t launch = 0;
    int warp = 0; ///< Number of the warp in the run.
    std::int64_t number = 0;
    std::optional<std::int64_t> at; ///< Of the result; none while a load's result time is unknown.
    std::optional<std::int64_t> sources_read;
};

/// Scheduler to memory queue: a memory instruction issued in this cycle (C71). `Unit:` core cycles.
struct QueueOrder {
    std::size_t warp_slot = 0; ///< In the scheduler.
    std::size_t launch = 0;
    int warp = 0; ///< Number of the warp in the run.
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t issued = 0;
    std::int64_t entry = 0;     ///< From the issue to the hand-over, without waits.
    Range interval;             ///< From the hand-over to the next one of the scheduler.
    std::int64_t occupancy = 0; ///< Of the memory path.
    std::int64_t delay = 0;     ///< From the issue to the result, without waits.
    std::optional<std::int64_t> source_read; ///< Likewise, to the release of a read barrier.
    std::optional<AtomicIssue> atomic{};     ///< What goes to the atomic units at the hand-over.
    std::optional<MemoryIssue> load{};       ///< Likewise, to the load/store unit (C74).
};

/// Memory queue to scheduler: an instruction will be handed over at `at`, at least one cycle ahead.
struct HandOver {
    std::int64_t at = 0;
    ResultNotice notice; ///< `at` is empty for a global atomic and a load through the caches.
    std::optional<AtomicIssue> atomic{};
    std::optional<MemoryIssue> load{};
};

/// Operand collectors to issue arbiter: entries in the latch of a pool that became free in this
/// cycle.
struct LatchFreed {
    std::size_t pool = 0;
    std::size_t count = 0;
};

} // namespace warpbound::harness::simulator

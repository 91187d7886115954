#pragma once
/// \file
/// What the components of the machine say to each other.

#include "harness/simulator/launch/residency.hpp"
#include "harness/simulator/memory/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

struct KernelCode;

/// A launch of the run.
struct Grid {
    const KernelCode* code = nullptr;
    int first_warp = 0;        ///< Warps are numbered through all launches of the run.
    std::size_t operation = 0; ///< Of the workload: its launch.
};

/// A scheduler asks for what the whole SM shares: a core port, a place in the write buffer.
struct IssueRequest {
    std::optional<std::size_t> port; ///< A core port.
    std::int64_t occupancy = 0;      ///< Cycles for which the port is taken.
    bool store = false;              ///< Wants a place in the write buffer.
    std::int64_t passes = 1;         ///< Of the store.
    std::optional<std::size_t> pool; ///< Wants a place in the latch of these collectors (C47).
    bool load = false;               ///< Wants a place in the load queue of the L1.
    int warp = 0;
    std::int64_t issued = 0; ///< Instructions of the warp before this one.
};

/// The answer, one step later.
struct IssueAnswer {
    bool granted = false;
    std::int64_t drains = 0; ///< When the store leaves the write buffer, where that is known.
};

/// The buffer of a warp is empty (C43).
struct FetchRequest {
    std::size_t place = 0;       ///< Of the warp on the SM.
    int warp = 0;                ///< Its number.
    std::size_t instruction = 0; ///< The first one wanted; one past the end of the text at most.
    std::uint64_t line = 0;      ///< Of the instruction cache.
    std::size_t count = 0;       ///< How many stand in the text from there on, as far as one
                                 ///< fetch delivers.
    std::int64_t from = 0;       ///< The first cycle in which a port may serve it.
};

/// Instructions stand in the warp's buffer and may issue from the next cycle on.
struct Fetched {
    std::size_t place = 0; ///< Of the warp in its scheduler.
    std::size_t count = 0;
};

/// The next instruction of a warp needs lines of constants and nothing else of the warp's holds it.
struct ConstantRequest {
    std::size_t place = 0; ///< Of the warp on the SM.
    int warp = 0;          ///< Its number.
    std::vector<std::uint64_t> lines;
    std::int64_t from = 0; ///< When they are looked up.
};

/// From when on all of them are there.
struct ConstantAnswer {
    std::size_t place = 0; ///< Of the warp in its scheduler.
    std::int64_t at = 0;
};

/// An instruction issued to operand collectors. `Unit:` core cycles.
struct CollectOrder {
    const KernelCode* code = nullptr;
    std::size_t launch = 0;
    int warp = 0; ///< Its number.
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t occupancy = 0;              ///< Of the execution unit.
    std::int64_t delay = 0;                  ///< From the unit's entrance to the result's exit.
    std::optional<std::int64_t> source_read; ///< From there to the release of a read barrier.
    std::size_t pool = 0;
    std::size_t place = 0; ///< Of the warp on the SM.
    bool goes_to_memory = false;
    MemoryIssue memory{}; ///< What its unit then hands to the load/store unit.
};

/// An instruction entered its unit, or its load found all its lines: when its effects will come.
struct ResultNotice {
    std::size_t place = 0; ///< Of the warp in its scheduler.
    std::size_t launch = 0;
    int warp = 0; ///< Its number.
    std::int64_t number = 0;
    std::optional<std::int64_t> at; ///< Of the result; of a load that is not known at once.
    std::optional<std::int64_t> sources_read;
};

/// So many places in the latch of a pool became free in this cycle.
struct LatchNotice {
    std::size_t pool = 0;
    std::size_t count = 0;
};
/// The write buffer or the load queue was full and is not any more.
struct RoomNotice {};

/// A warp came to a barrier or to its end in this cycle.
struct WarpReport {
    std::size_t slot = 0;                ///< Of the block on the SM.
    std::uint32_t place = 0;             ///< Of the warp on the SM.
    std::optional<std::uint8_t> barrier; ///< None: the warp ended.
    bool waits = false;                  ///< Until the barrier opens.
    std::int64_t barrier_warps = 0;      ///< As in `Operation`.
    std::int64_t completes = 0;          ///< Of a warp that ended: when all it did is done (C2).
};

/// A launch enters the execution queue (C33, C34).
struct LaunchQueued {
    std::size_t launch = 0;
    std::int64_t ready_at = 0;
};

/// A block goes to an SM.
struct Placement {
    Grid grid;
    std::size_t launch = 0;
    std::int64_t block = 0;   ///< Of the launch.
    Residency::Places places; ///< Of its warps, in their order.
    std::int64_t placed = 0;  ///< When it got them.
    std::int64_t at = 0;      ///< The first cycle in which its warps may issue.
};

/// A block ended in this cycle.
struct BlockEnded {
    std::size_t launch = 0;
    Residency::Places places;
    std::int64_t completes = 0; ///< When all that it did is done.
};

/// Inside an SM: a block starts, or its warps may leave a barrier.
struct BlockOrder {
    enum class Kind { Start, Release };
    Kind kind = Kind::Start;
    std::size_t slot = 0;
    Placement placement;        ///< For Start.
    Residency::Places released; ///< For Release: places on the SM.
    std::int64_t at = 0;        ///< For Release: the first cycle in which the warps may issue.
};

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// Messages between the warp schedulers, the issue arbiter and the resident blocks of an SM.

#include "harness/simulator/launch/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpbound::harness::simulator {

/// Scheduler to arbiter: requests resources that all schedulers of the SM share.
struct IssueRequest {
    std::optional<std::size_t> port; ///< A core port.
    std::int64_t occupancy = 0;      ///< Cycles for which the instruction occupies the port.
    bool store = false;              ///< Needs a write-buffer entry.
    std::int64_t passes = 1;         ///< Of the store.
    std::int64_t most_sectors = 0;   ///< Of the store, as in `Operation`.
    std::optional<std::size_t> pool; ///< Needs an entry in the latch of these collectors (C47).
    bool load = false;               ///< Needs an entry in the load queue of the L1.
    int warp = 0;
    std::int64_t issued = 0; ///< Instructions that the warp issued before this one.
};

/// Arbiter to scheduler, one step later.
struct IssueAnswer {
    bool granted = false;
    std::int64_t drains = 0; ///< When the store leaves the write buffer, where that is known.
};

/// Arbiter to scheduler: the write buffer or the load queue was full and now has a free entry.
struct EntryAvailable {};

/// Scheduler to resident blocks: a warp arrived at a barrier or ended in this cycle.
struct WarpReport {
    std::size_t block_slot = 0;          ///< On the SM.
    std::uint32_t warp_slot = 0;         ///< On the SM.
    std::optional<std::uint8_t> barrier; ///< None: the warp ended.
    bool waits = false;                  ///< The warp waits until the barrier opens.
    std::int64_t barrier_warps = 0;      ///< As in `Operation`.
    std::int64_t completes = 0; ///< Of an ended warp: when everything that it issued is complete
                                ///< (C2).
};

/// Resident blocks to scheduler: a block starts, or its warps may leave a barrier.
struct BlockOrder {
    enum class Kind { Start, Release };
    Kind kind = Kind::Start;
    std::size_t block_slot = 0;
    Placement placement;           ///< For Start.
    Residency::WarpSlots released; ///< For Release: warp slots on the SM.
    std::int64_t at = 0;           ///< For Release: the first cycle in which the warps may issue.
};

} // namespace warpbound::harness::simulator

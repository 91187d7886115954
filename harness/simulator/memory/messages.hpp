#pragma once
/// \file
/// What warp schedulers, load/store units and the memory say to each other.

#include "harness/simulator/memory/access_code.hpp"

#include <cstdint>
#include <memory>

namespace warpbound::harness::simulator {

/// A load that goes through the caches, or a store, that comes to the load/store unit in this
/// cycle.
struct MemoryIssue {
    bool store = false;
    std::size_t place = 0;   ///< Of the warp at its scheduler, or what a sender puts there.
    std::size_t launch = 0;  ///< Of the run.
    int warp = 0;            ///< Among all warps of the run.
    std::int64_t number = 0; ///< Of the instruction among all that the warp issued.
    const AccessCode* access = nullptr; ///< None: a store that ends in the write buffer.
    models::AccessPlace execution;
    std::uint64_t active = 0;                                ///< Lanes.
    std::shared_ptr<const models::LaneAddresses> recorded{}; ///< In place of what `access` gives.
    std::int64_t passes = 1;
    std::int64_t pass_cost = 0; ///< Between two lines of a load.
};

/// The result time of a load, at least one cycle before it comes.
struct ResultNotified {
    std::size_t place = 0; ///< As in the issue.
    int warp = 0;          ///< Among all warps of the run.
    std::int64_t number = 0;
    std::int64_t at = 0;
};

/// Places in the load queue and the write buffer that are free from the next cycle on.
struct RoomFreed {
    std::size_t loads = 0;
    std::size_t stores = 0;
};

/// Sectors of one L1 line, wanted from or written to the L2.
struct MemoryRequest {
    std::uint32_t id = 0; ///< Of a read, at its load/store unit.
    bool write = false;
    std::uint64_t address = 0; ///< Of the line.
    std::uint64_t sectors = 0; ///< Of the L1.
    std::int64_t at = 0;       ///< When it comes to its slice.
    std::int64_t transit = 0;  ///< Cycles that the way took.
    int warp = 0;
};

struct MemoryAnswer {
    enum class Kind {
        Taken, ///< A slice took a request.
        Coming ///< The sectors of a read come to the L1 at `at`.
    };
    Kind kind = Kind::Taken;
    std::uint32_t id = 0;
    std::int64_t at = 0;
};

} // namespace warpbound::harness::simulator

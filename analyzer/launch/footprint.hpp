#pragma once
/// \file
/// The footprint of a launch: the lines, sectors and rows that its loads and stores access, where
/// address patterns give all of them (docs/theory, S22).

#include "models/sourced.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Side: upper.
struct RowActivations {
    /// While a transfer for a load waits in the queue of its channel: different rows of its bank
    /// among the transfers that are ahead of it or being served.
    std::int64_t of_bank = 0;
    /// After no earlier load waits in the queue: transfers that open a row of its bank, including
    /// the one being served at that time. Sum over all loads of the launch.
    std::int64_t of_loads = 0;
};

/// Writebacks of the whole launch. Side: upper.
struct Writebacks {
    std::int64_t transfers = 0;
    std::int64_t sectors = 0;      ///< L2 sectors of all these transfers.
    std::int64_t most_sectors = 0; ///< L2 sectors of one transfer.
};

/// Side: upper, except for counts that are named `least`.
struct Footprint {
    /// Per instruction: lines that one execution accesses.
    std::vector<models::Interval> passes;
    std::int64_t load_lines = 0; ///< Line accesses of loads, of the whole launch.
    /// Of these, those that may find all their sectors cached or in flight. Each of the others
    /// accesses a sector that no other access of the launch accesses.
    std::int64_t shared_lines = 0;
    /// L1 sectors that these access beyond the first of each.
    std::int64_t further_sectors = 0;
    /// All transactions of loads that leave one L1, where all its lines are persistent; none: lines
    /// may be replaced.
    std::optional<std::int64_t> transactions;
    /// Where they are, and accesses may wait to merge: element j is the most loads that access none
    /// of j + 1 sectors of the L1, whichever these are. Empty: not counted.
    std::vector<std::int64_t> loads_without_sectors;
    /// Loads of one warp with a line that no earlier load of the warp has made persistent in that
    /// L1.
    std::int64_t new_to_warp = 0;
    std::int64_t most_sectors = 1; ///< L1 sectors of one line access of a load.
    /// L2 sectors of one line access of a load.
    std::int64_t most_second_sectors = 1;
    std::int64_t second_sectors = 0;      ///< L2 sectors, summed over the line accesses of loads.
    std::int64_t most_stored_sectors = 0; ///< L2 sectors of one line access of a store.
    std::int64_t least_of_transfer = 1;   ///< Least number of sectors of a transfer.
    std::int64_t sharers =
        0; ///< Line accesses of loads to one line that are outstanding at the same time.
    /// Transfers that fetch the sectors of loads to the L2, and these sectors, where all lines of
    /// the L2 are persistent; none: lines may be replaced.
    struct Fetched {
        std::int64_t transfers = 0;
        std::int64_t sectors = 0;
    };
    std::optional<Fetched> fetched;
    /// Present where stores reach DRAM only when the L2 replaces their lines; none: each store may.
    std::optional<Writebacks> writebacks;
    std::optional<RowActivations> rows; ///< None: not known.
    /// Per instruction: an always-miss load. At every execution its last line access has a sector
    /// that no other access of the launch accesses, so it hits in no cache.
    std::vector<bool> always_misses;
    /// Least number of sectors that one channel fetches to the L2; all of them where the channels
    /// are not known.
    std::int64_t least_sectors = 0;
    /// Least number of transactions of all L1s, and of all write buffers.
    std::int64_t least_load_transactions = 0;
    std::int64_t least_store_transactions = 0;
};

} // namespace warpbound::analyzer

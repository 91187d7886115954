#pragma once
/// \file
/// The footprint of a launch: which lines, sectors and rows its loads and stores touch, where
/// address patterns give all of them (docs/soundness.md, S22).

#include "models/sourced.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Side: upper.
struct RowActivations {
    /// While a transfer for a load waits in the queue of its channel: different rows of its bank,
    /// of transfers that stand before it or are being served.
    std::int64_t of_bank = 0;
    /// Once no earlier load waits in the queue: transfers that open a row of its bank, and the one
    /// that does when that begins. The sum over all loads of the launch.
    std::int64_t of_loads = 0;
};

/// Side: upper. Of the whole launch.
struct Writebacks {
    std::int64_t transfers = 0;
    std::int64_t sectors = 0;      ///< Of the L2, of all these transfers.
    std::int64_t most_sectors = 0; ///< Of one of them.
};

/// All counts are upper ones, except where they say `least`.
struct Footprint {
    /// Per instruction: lines that one execution touches.
    std::vector<models::Interval> passes;
    std::int64_t load_lines = 0; ///< Line accesses of loads, of the whole launch.
    /// Of these, those that may find all their sectors in a cache or on their way there: of the
    /// others each touches a sector that no other access of the launch touches.
    std::int64_t shared_lines = 0;
    /// Sectors of the L1 that these touch beyond the first of each.
    std::int64_t further_sectors = 0;
    /// Transactions of loads that leave one L1 in all, where nothing that it holds is ever
    /// replaced; none: something may be.
    std::optional<std::int64_t> transactions;
    /// Loads of one warp that touch what no load of it has brought to that L1 for good.
    std::int64_t new_to_warp = 0;
    std::int64_t most_sectors = 1; ///< Of the L1, that a line access of a load touches.
    /// Of the L2, the same.
    std::int64_t most_second_sectors = 1;
    std::int64_t second_sectors = 0;      ///< Of the L2, the sum over line accesses of loads.
    std::int64_t most_stored_sectors = 0; ///< Of the L2, that a line access of a store touches.
    std::int64_t least_of_transfer = 1;   ///< Sectors of a transfer, at least.
    std::int64_t sharers = 0; ///< Line accesses of loads that are under way to one line together.
    /// Transfers that bring the sectors of loads to the L2, and these sectors, where the L2 never
    /// replaces anything; none: it may.
    struct Fetched {
        std::int64_t transfers = 0;
        std::int64_t sectors = 0;
    };
    std::optional<Fetched> fetched;
    /// Where stores reach DRAM only when the L2 replaces their lines; none: each one may.
    std::optional<Writebacks> writebacks;
    std::optional<RowActivations> rows; ///< None: not known.
    /// Per instruction: a load whose last line access has, at every execution, a sector that no
    /// other access of the launch touches. It hits nowhere.
    std::vector<bool> always_misses;
    /// Sectors that one channel brings to the L2 at least; where they lie is not known: of all.
    std::int64_t least_sectors = 0;
    /// Transactions of all L1s together, and of all write buffers.
    std::int64_t least_load_transactions = 0;
    std::int64_t least_store_transactions = 0;
};

} // namespace warpbound::analyzer

#pragma once
/// \file
/// What the accesses of a launch have in common: lines that no cache replaces, sectors that one
/// access alone needs, rows that transfers open (step S22 of docs/theory, lemmas 1 to 3, and S22f).

#include "certification/verify/memory/accesses.hpp"
#include "certification/verify/memory/dram_rows.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// Side: upper, except for counts that are named `least`. `Unit:` accesses, transactions, sectors.
struct Footprint {
    /// Whether it follows from addresses; no: each number holds for any (S59, step 8).
    bool is_listed = true;
    /// Lines of one execution, per instruction; 0 .. 0: none.
    std::vector<models::Interval> lines_of;
    std::int64_t load_lines = 0; ///< Line accesses of loads.
    /// Of these, those without a sector that no other execution accesses.
    std::int64_t not_alone = 0;
    std::vector<bool> last_line_alone; ///< Per instruction: a load whose last line never is such.
    std::int64_t further_sectors = 0;  ///< Of the L1, beyond the first of each line access.
    std::int64_t most_sectors = 1;     ///< Of the L1, of a line access of a load.
    std::int64_t most_l2_sectors = 1;  ///< The same of the L2.
    std::int64_t most_stored_l2_sectors = 0; ///< The same of a store.
    std::int64_t l2_sectors = 0;             ///< Over all line accesses of loads.
    /// Line accesses of loads to one line that can be outstanding at the same time.
    std::int64_t most_at_a_line = 0;
    /// Lemma 1: what one L1 asks for; none: it may replace lines.
    std::optional<std::int64_t> requests_of_l1;
    std::int64_t most_new_loads = 0; ///< Lemma 1: of a warp, loads that may miss where none does.
    /// Lemma 2: transfers of DRAM for loads, and their sectors; none: the L2 may replace lines.
    struct Fetches {
        std::int64_t transfers = 0;
        std::int64_t sectors = 0;
    };
    std::optional<Fetches> fetches;
    std::int64_t least_of_transfer = 1; ///< Sectors of the L2.
    /// S22f; none: each store may be written at once.
    struct Writebacks {
        std::int64_t transfers = 0;
        std::int64_t sectors = 0;
        std::int64_t most_of_one = 0;
    };
    std::optional<Writebacks> writebacks;
    /// None: addresses do not tell the bank.
    std::optional<RowTails> tails;
    /// S58: A(1) to A(3), the most loads that access none of so many sectors; empty: not counted.
    std::vector<std::int64_t> loads_without;
    /// S22, lemma 4: what every run needs. Sectors that one channel brings, transactions of loads
    /// of all L1s, and of stores of all write buffers.
    std::int64_t least_of_channel = 0;
    std::int64_t least_requests = 0;
    std::int64_t least_stores = 0;

    [[nodiscard]] bool writes_to_dram() const { return !writebacks || writebacks->transfers > 0; }
};

Footprint count_footprint(const TimedCode& code, const MemoryLayout& layout,
                          const std::vector<LineAccess>& accesses);

} // namespace warpbound::certification::verify

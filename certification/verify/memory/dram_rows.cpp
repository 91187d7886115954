#include "certification/verify/memory/dram_rows.hpp"

#include "certification/verify/memory/service_times.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t most_banks = 1 << 16;

/// C28: rows of a channel take turns in its banks.
struct Place {
    std::uint64_t bank = 0; ///< Over all channels.
    std::uint64_t row = 0;
};

Place place_of(const MemoryLayout& layout, std::uint64_t address) {
    const auto channels = static_cast<std::uint64_t>(layout.channels.lo);
    const auto banks = static_cast<std::uint64_t>(layout.banks.lo);
    const std::uint64_t stripe = address / (layout.row * channels);
    return {layout.channel(address) * banks + stripe % banks, stripe / banks};
}

using Rows = std::set<std::uint64_t>;

/// Lemma 3: r, the most tails for which a transfer waits. Of any bank, its rows; where DRAM writes
/// nothing also one, and the most rows that one execution of each load of each warp opens there.
std::int64_t tails_of_access(const TimedCode& code, const MemoryLayout& layout,
                             const std::vector<LineAccess>& accesses, bool writes) {
    std::map<std::uint64_t, Rows> rows_of_bank;
    /// By bank, warp and instruction, then by execution.
    using Load = std::pair<std::int64_t, std::size_t>;
    std::map<std::uint64_t, std::map<Load, std::map<std::int64_t, Rows>>> rows_of_load;
    bool has_stores = false;
    for (const LineAccess& access : accesses) {
        if (!access.is_load && !writes) continue;
        has_stores = has_stores || !access.is_load;
        const Place place = place_of(layout, access.address);
        rows_of_bank[place.bank].insert(place.row);
        rows_of_load[place.bank][{access.warp, access.instruction}][access.execution].insert(
            place.row);
    }
    std::int64_t most = 0;
    for (const auto& [bank, rows] : rows_of_bank) {
        auto of_bank = static_cast<std::int64_t>(rows.size());
        std::int64_t outstanding = 1;
        for (const auto& [load, executions] : rows_of_load[bank]) {
            const bool one_at_a_time = waits_for_itself(code, load.second);
            std::int64_t of_load = 0;
            for (const auto& [execution, opened] : executions) {
                const auto number = static_cast<std::int64_t>(opened.size());
                of_load = one_at_a_time ? std::max(of_load, number) : of_load + number;
            }
            outstanding += of_load;
        }
        if (!has_stores) of_bank = std::min(of_bank, outstanding);
        most = std::max(most, of_bank);
    }
    return std::min(most, layout.channel_queue.hi);
}

/// S22c: t(L), the most over the banks of the less of its lines there, and of its rows, those of
/// successive lines counted once, and one.
std::int64_t tails_of_loads(const MemoryLayout& layout, const std::vector<LineAccess>& accesses) {
    struct InBank {
        std::int64_t lines = 0;
        std::int64_t rows = 0;
        std::uint64_t last = 0;
    };
    models::Cycles sum{0};
    std::map<std::uint64_t, InBank> banks;
    std::int64_t most = 0;
    for (const LineAccess& access : accesses) {
        if (!access.is_load) continue;
        const Place place = place_of(layout, access.address);
        InBank& bank = banks[place.bank];
        if (bank.lines == 0 || bank.last != place.row) ++bank.rows;
        ++bank.lines;
        bank.last = place.row;
        most = std::max(most, std::min(bank.lines, bank.rows + 1));
        if (!access.is_last) continue;
        sum += models::Cycles{most};
        most = 0;
        banks.clear();
    }
    return sum.count();
}

} // namespace

std::optional<RowTails> tails_of(const TimedCode& code, const MemoryLayout& layout,
                                 const std::vector<LineAccess>& accesses, bool writes) {
    if (!layout.places_in_channels() || !layout.banks.is_exact() ||
        models::times(layout.banks.lo, layout.channels.lo) > most_banks)
        return std::nullopt;
    return RowTails{tails_of_access(code, layout, accesses, writes),
                    tails_of_loads(layout, accesses)};
}

} // namespace warpbound::certification::verify

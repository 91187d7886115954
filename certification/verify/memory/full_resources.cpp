#include "certification/verify/memory/full_resources.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <limits>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;

constexpr std::int64_t never_lacks = std::numeric_limits<std::int64_t>::max();

/// Of so many entries fewer than `asked` are free. So the others are taken, by accesses of which
/// none takes more than `asked`.
std::int64_t holders_of(std::int64_t entries, std::int64_t asked) {
    const std::int64_t taken = entries - asked + 1;
    return taken / asked + (taken % asked > 0 ? 1 : 0);
}

/// Sectors of the L2 in so many bytes of the L1.
std::int64_t l2_sectors_in(const MemoryLayout& layout, std::uint64_t bytes) {
    return bytes <= layout.l2_sector ? 1 : static_cast<std::int64_t>(bytes / layout.l2_sector);
}

LeastHolders least_holders(const MemoryLayout& layout, const Footprint& footprint,
                           std::int64_t multiprocessors) {
    LeastHolders least;
    least.of_l1_entries = holders_of(layout.l1_entries.lo, footprint.most_sectors);
    // An access without a merge slot finds as many accesses in its entry as that serves.
    least.of_l1_merges =
        footprint.most_at_a_line > layout.l1_merges ? layout.l1_merges : never_lacks;

    const std::int64_t in_sector = l2_sectors_in(layout, layout.sector);
    const std::int64_t asked_by_all =
        times(times(layout.l1_entries.hi, in_sector), multiprocessors);
    const std::int64_t asked_by_one =
        std::min(times(footprint.most_sectors, in_sector), l2_sectors_in(layout, layout.line));
    least.of_slice_entries = layout.slice_entries >= asked_by_all
                                 ? never_lacks
                                 : holders_of(layout.slice_entries, asked_by_one);
    // Each L1 asks for a sector once until it comes, if the slice's sectors are no larger.
    const bool one_of_each_l1 =
        layout.sector >= layout.l2_sector && layout.slice_merges >= multiprocessors;
    const bool one_of_each_load =
        layout.line >= layout.l2_sector && layout.slice_merges >= footprint.most_at_a_line;
    least.of_slice_merges = one_of_each_l1 || one_of_each_load ? never_lacks : layout.slice_merges;
    return least;
}

} // namespace

std::int64_t LeastHolders::of_l1() const {
    return std::min(of_l1_entries, of_l1_merges);
}

std::int64_t LeastHolders::of_slice() const {
    return std::min(of_slice_entries, of_slice_merges);
}

FullResources::FullResources(const MemoryLayout& layout, const Footprint& footprint,
                             const LaunchVolume& volume)
    : layout_{layout}, volume_{volume}, least_{least_holders(layout, footprint,
                                                             volume.multiprocessors)} {}

std::int64_t FullResources::that_proceed() const {
    return least_.of_l1_merges == never_lacks ? volume_.transactions : volume_.lines;
}

std::int64_t FullResources::waiting_cycles(std::int64_t holders, std::int64_t proceeding) const {
    return may_lack(holders) ? times(that_proceed(), proceeding) / holders : 0;
}

std::int64_t FullResources::blocking_intervals(std::int64_t holders) const {
    return may_lack(holders) ? that_proceed() / holders : 0;
}

bool FullResources::link_may_fill() const {
    // A transaction of a load on its way holds an entry of the L1.
    const std::int64_t of_loads =
        std::min({layout_.l1_entries.hi, volume_.lines_in_flight, volume_.transactions});
    return plus(volume_.stored_lines, of_loads) > layout_.link_queue;
}

std::int64_t FullResources::cycles_of_full_link() const {
    const std::int64_t all = plus(volume_.stored_lines, volume_.transactions);
    return times(layout_.transit.hi, all) / layout_.link_queue;
}

} // namespace warpbound::certification::verify

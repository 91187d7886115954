#include "analyzer/memory/writebacks.hpp"

#include "analyzer/memory/access_enumeration.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace warpbound::analyzer {

namespace {

/// Uses of a line of the L1.
struct LoadedLine {
    std::int64_t loads = 0;
    std::uint64_t sectors = 0;
    std::int64_t stores = 0;
};

/// Stores to a line of the L2.
struct StoredLine {
    std::int64_t stores = 0;
    std::uint64_t sectors = 0; ///< Stored sectors.
};

/// A cache set of a slice.
struct SliceSet {
    std::int64_t lines = 0;
    std::int64_t fills = 0; ///< Largest number of fills of a line.
    std::int64_t stores = 0;
};

} // namespace

std::optional<Writebacks> writebacks(const AccessEnumeration& accesses,
                                     const MemoryParameters& caches, std::int64_t multiprocessors,
                                     bool keeps_lines) {
    if (!caches.keeps_stores || !caches.knows_second_sets()) return std::nullopt;
    std::unordered_map<std::uint64_t, LoadedLine> loaded;
    std::unordered_map<std::uint64_t, StoredLine> lines; // By number.
    std::int64_t stored_sectors = 0;
    accesses.for_each([&](const Access& access) {
        for (const models::TouchedLine& line : *access.lines) {
            LoadedLine& in_l1 = loaded[line.address];
            StoredLine& in_l2 = lines[line.address / caches.second_line];
            if (access.load) {
                ++in_l1.loads;
                in_l1.sectors |= line.sectors;
                continue;
            }
            ++in_l1.stores;
            ++in_l2.stores;
            const std::uint64_t sectors = caches.second_sectors_of(line);
            in_l2.sectors |= sectors;
            stored_sectors += std::popcount(sectors);
        }
    });
    std::unordered_map<std::uint64_t, SliceSet> sets;
    Writebacks written;
    for (const auto& [number, line] : lines) {
        SliceSet& set = sets[caches.second_set_of(number)];
        ++set.lines;
        set.fills += line.stores;
        set.stores += line.stores;
        written.most_sectors =
            std::max<std::int64_t>(written.most_sectors, std::popcount(line.sectors));
    }
    for (const auto& [address, line] : loaded) {
        // Each L1 without replacement requests a sector once, and once more after each store.
        const std::int64_t requested = models::times(
            models::times(std::popcount(line.sectors), 1 + (caches.write_evict ? line.stores : 0)),
            multiprocessors);
        sets[caches.second_set_of(address / caches.second_line)].fills +=
            keeps_lines ? std::min(line.loads, requested) : line.loads;
    }
    for (const auto& [number, set] : sets)
        if (set.lines > caches.second_ways)
            written.transfers += std::min(set.stores, set.fills - caches.second_ways);
    written.sectors =
        std::min(stored_sectors, models::times(written.transfers, written.most_sectors));
    return written;
}

} // namespace warpbound::analyzer

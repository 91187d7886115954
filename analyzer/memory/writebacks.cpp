#include "analyzer/memory/writebacks.hpp"

#include "analyzer/launch/context.hpp"
#include "analyzer/memory/access_enumeration.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace warpbound::analyzer {

namespace {

/// A line of the L1, as loads use it.
struct LoadedLine {
    std::int64_t loads = 0;
    std::uint64_t sectors = 0;
    std::int64_t stores = 0;
};

/// A line of the L2.
struct StoredLine {
    std::int64_t stores = 0;
    std::uint64_t sectors = 0; ///< Stored.
};

/// A set of a slice.
struct Set {
    std::int64_t lines = 0;
    std::int64_t entries = 0; ///< Times that a line can come into it.
    std::int64_t stores = 0;
};

} // namespace

std::optional<Writebacks> writebacks(const AnalysisContext& context,
                                     const AccessEnumeration& accesses, bool keeps_lines) {
    const MemoryParameters& caches = *context.caches;
    if (!caches.keeps_stores || !caches.knows_second_sets()) return std::nullopt;
    std::unordered_map<std::uint64_t, LoadedLine> loaded;
    std::unordered_map<std::uint64_t, StoredLine> lines; // By number.
    std::int64_t stored_sectors = 0;
    accesses.for_each([&](const Access& access) {
        for (const models::TouchedLine& line : *access.lines) {
            LoadedLine& of_first = loaded[line.address];
            StoredLine& of_second = lines[line.address / caches.second_line];
            if (access.load) {
                ++of_first.loads;
                of_first.sectors |= line.sectors;
                continue;
            }
            ++of_first.stores;
            ++of_second.stores;
            const std::uint64_t sectors = caches.second_sectors_of(line);
            of_second.sectors |= sectors;
            stored_sectors += std::popcount(sectors);
        }
    });
    std::unordered_map<std::uint64_t, Set> sets;
    Writebacks written;
    for (const auto& [number, line] : lines) {
        Set& set = sets[caches.second_set_of(number)];
        ++set.lines;
        set.entries += line.stores;
        set.stores += line.stores;
        written.most_sectors =
            std::max<std::int64_t>(written.most_sectors, std::popcount(line.sectors));
    }
    for (const auto& [address, line] : loaded) {
        // Each L1 that keeps its lines asks for a sector once, and once more after a store.
        const std::int64_t asked = models::times(
            models::times(std::popcount(line.sectors), 1 + (caches.write_evict ? line.stores : 0)),
            context.shape.multiprocessors);
        sets[caches.second_set_of(address / caches.second_line)].entries +=
            keeps_lines ? std::min(line.loads, asked) : line.loads;
    }
    for (const auto& [number, set] : sets)
        if (set.lines > caches.second_ways)
            written.transfers += std::min(set.stores, set.entries - caches.second_ways);
    written.sectors =
        std::min(stored_sectors, models::times(written.transfers, written.most_sectors));
    return written;
}

} // namespace warpbound::analyzer

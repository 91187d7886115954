#pragma once
/// \file
/// The miss status holding registers (MSHR) of a cache: outstanding sectors and waiting accesses.

#include "harness/simulator/clock/component.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpbound::harness::simulator {

/// One entry per sector. An entry serves at most `merges` accesses, including the first.
class MissTable {
public:
    struct Entry {
        std::uint64_t sector = 0;
        std::int64_t filled_at = never; ///< The fill time, once it is known.
        std::vector<std::uint32_t> waiting;
    };

    MissTable(std::size_t entries, std::size_t merges) : merges_{merges}, entries_(entries) {
        for (std::size_t entry = entries; entry > 0; --entry)
            free_.push_back(static_cast<std::uint32_t>(entry - 1));
        of_sector_.reserve(entries);
    }

    /// Null when the sector is not outstanding.
    [[nodiscard]] Entry* find(std::uint64_t sector) {
        const auto found = of_sector_.find(sector);
        return found == of_sector_.end() ? nullptr : &entries_[found->second];
    }
    [[nodiscard]] std::size_t free_entries() const { return free_.size(); }
    [[nodiscard]] bool can_merge(const Entry& entry) const {
        return entry.waiting.size() < merges_;
    }
    /// Requires: a free entry, and the sector is not outstanding.
    void add(std::uint64_t sector, std::uint32_t waiting) {
        const std::uint32_t entry = free_.back();
        free_.pop_back();
        of_sector_.emplace(sector, entry);
        entries_[entry].sector = sector;
        entries_[entry].filled_at = never;
        entries_[entry].waiting.assign(1, waiting);
    }
    /// The sector was filled. Requires: it was outstanding.
    void remove(std::uint64_t sector) {
        const auto found = of_sector_.find(sector);
        free_.push_back(found->second);
        of_sector_.erase(found);
    }

private:
    std::size_t merges_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<std::uint64_t, std::uint32_t> of_sector_; ///< Never iterated over.
};

} // namespace warpbound::harness::simulator

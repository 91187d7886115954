#pragma once
/// \file
/// The tags of a set-associative sectored cache with LRU replacement.

#include "harness/simulator/decode/memory_shape.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// The owner numbers the lines; line n is in set n mod sets. Bit i of a mask is the i-th sector of
/// a line.
class Cache {
public:
    explicit Cache(const CacheShape& shape)
        : sets_{shape.sets}, ways_{static_cast<std::size_t>(shape.ways)},
          lines_(static_cast<std::size_t>(shape.sets * shape.ways)) {}

    /// Sectors of the line that are present; 0 for a line that is absent.
    [[nodiscard]] std::uint64_t present(std::uint64_t line) const {
        const Line* const found = find(line);
        return found == nullptr ? 0 : found->valid;
    }
    /// Makes the line the most recently used one.
    void touch(std::uint64_t line);

    /// An evicted line, with the sectors that must be written back.
    struct Evicted {
        std::uint64_t line = 0;
        std::uint64_t dirty = 0;
    };
    /// Fills sectors into the line and makes it the most recently used one.
    std::optional<Evicted> fill(std::uint64_t line, std::uint64_t sectors, bool dirty);
    /// Invalidates the line without writing it back.
    void drop(std::uint64_t line);

private:
    struct Line {
        std::uint64_t number = 0;
        std::uint64_t valid = 0; ///< 0: the way is free.
        std::uint64_t dirty = 0;
        std::uint64_t used = 0;
    };
    [[nodiscard]] const Line* find(std::uint64_t line) const;
    [[nodiscard]] Line* find(std::uint64_t line) {
        return const_cast<Line*>(static_cast<const Cache*>(this)->find(line));
    }

    std::uint64_t sets_;
    std::size_t ways_;
    std::vector<Line> lines_; ///< Shape: set by set.
    std::uint64_t uses_ = 0;
};

} // namespace warpbound::harness::simulator

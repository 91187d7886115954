#pragma once
/// \file
/// The tags of a set-associative cache with sectors; the least recently used line leaves.

#include "harness/simulator/memory/shape.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Lines are numbered as its owner numbers them; line n lies in set n mod sets. Bit i of a mask
/// stands for the i-th sector of a line.
class Cache {
public:
    explicit Cache(const CacheShape& shape)
        : sets_{shape.sets}, ways_{static_cast<std::size_t>(shape.ways)},
          lines_(static_cast<std::size_t>(shape.sets * shape.ways)) {}

    /// Sectors of the line that are there; 0 for a line that is not.
    [[nodiscard]] std::uint64_t present(std::uint64_t line) const {
        const Line* const found = find(line);
        return found == nullptr ? 0 : found->valid;
    }
    /// The line was used now.
    void touch(std::uint64_t line);

    /// A line that had to leave, with the sectors that must be written back.
    struct Evicted {
        std::uint64_t line = 0;
        std::uint64_t dirty = 0;
    };
    /// Puts sectors into the line, which was used now.
    std::optional<Evicted> fill(std::uint64_t line, std::uint64_t sectors, bool dirty);
    /// Takes the line out without writing it back.
    void drop(std::uint64_t line);

private:
    struct Line {
        std::uint64_t number = 0;
        std::uint64_t valid = 0; ///< 0: the place is free.
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

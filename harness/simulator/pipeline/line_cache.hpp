#pragma once
/// \file
/// The tags of the instruction cache or the constant cache of an SM (C45, C52).

#include "harness/simulator/decode/pipeline_shape.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

/// Sets of `ways` lines each, with LRU replacement.
class LineCache {
public:
    explicit LineCache(const LineCacheShape& shape) : ways_{shape.ways}, sets_(shape.sets) {}

    /// Whether the line is present. If so, it becomes the most recently used one.
    bool find(std::uint64_t line) {
        auto& set = sets_[line % sets_.size()];
        const auto found = std::find(set.begin(), set.end(), line);
        if (found == set.end()) return false;
        std::rotate(set.begin(), found, found + 1);
        return true;
    }
    void fill(std::uint64_t line) {
        if (find(line)) return;
        auto& set = sets_[line % sets_.size()];
        if (set.size() == ways_) set.pop_back();
        set.insert(set.begin(), line);
    }

private:
    std::size_t ways_;
    std::vector<std::vector<std::uint64_t>> sets_; ///< The most recently used line first.
};

} // namespace warpbound::harness::simulator

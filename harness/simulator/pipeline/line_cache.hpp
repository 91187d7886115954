#pragma once
/// \file
/// The tags of an instruction cache or of the constant cache of an SM (C45, C52, C68, C69).

#include "harness/simulator/decode/pipeline_shape.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

/// Sets of `ways` lines each, with LRU replacement.
class LineCache {
public:
    explicit LineCache(const LineCacheShape& shape) : LineCache{shape.sets, shape.ways} {}
    LineCache(std::size_t sets, std::size_t ways) : ways_{ways}, sets_(sets) {}

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

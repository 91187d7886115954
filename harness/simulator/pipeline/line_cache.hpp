#pragma once
/// \file
/// The instruction cache or the constant cache of an SM: which lines it holds (C45, C52).

#include "harness/simulator/pipeline/pipeline_code.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

/// Sets of `ways` lines each; the line used longest ago makes room.
class LineCache {
public:
    explicit LineCache(const LineCacheShape& shape) : ways_{shape.ways}, sets_(shape.sets) {}

    /// Whether the line is held; it is then the one used last.
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
    std::vector<std::vector<std::uint64_t>> sets_; ///< The line used last comes first.
};

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// Lines that a cache has requested and does not hold yet.

#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/pipeline/line_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

struct OutstandingLine {
    std::uint64_t line = 0;
    std::int64_t at = 0; ///< When the cache has it.
};

/// When the cache has a line that it looks up at `access.cycle`: at once, with an earlier miss, or
/// after a miss of its own, which takes `draw_miss()` cycles. `access` says which.
template <class Draw>
std::int64_t look_up(LineCache& cache, std::vector<OutstandingLine>& outstanding,
                     std::uint64_t line, LineAccessed& access, Draw draw_miss) {
    const auto coming = std::ranges::find(outstanding, line, &OutstandingLine::line);
    if (cache.find(line)) {
        access.hit = 1;
        return access.cycle;
    }
    if (coming != outstanding.end()) {
        access.merged = 1;
        return coming->at;
    }
    access.missed = 1;
    outstanding.push_back({.line = line, .at = access.cycle + draw_miss()});
    return outstanding.back().at;
}

} // namespace warpbound::harness::simulator

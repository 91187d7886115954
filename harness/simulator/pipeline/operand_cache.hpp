#pragma once
/// \file
/// The cache of constant operands of a scheduler (C81, C82).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/decode/pipeline_shape.hpp"
#include "harness/simulator/pipeline/line_cache.hpp"
#include "harness/simulator/pipeline/outstanding_lines.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

/// Part of a scheduler, which looks up lines when it has chosen a warp.
class OperandCache {
public:
    /// `unit`: its number, for events. `random`: of its ways, misses and holds.
    OperandCache(const OperandCacheShape& shape, int unit, RandomSource random, EventLog& log);

    struct Answer {
        std::int64_t at = 0;         ///< When all lines are there.
        std::int64_t held_until = 0; ///< The scheduler chooses nobody before.
    };
    /// Look-ups follow each other in time. Both times are `now` when all lines are there.
    Answer look_up(const std::vector<std::uint64_t>& lines, int warp, std::int64_t now);

private:
    /// Lines that have arrived enter the cache, in the order of time.
    void fill(std::int64_t now);

    OperandCacheShape shape_;
    int unit_;
    EventLog* log_;
    RandomSource random_;
    LineCache cache_;
    std::vector<OutstandingLine> outstanding_;
};

} // namespace warpbound::harness::simulator

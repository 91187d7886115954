#pragma once
/// \file
/// The L0 instruction cache of a scheduler and its stream buffer (C67, C68).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/decode/instruction_cache_shape.hpp"
#include "harness/simulator/pipeline/line_cache.hpp"
#include "harness/simulator/pipeline/messages.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Part of a scheduler, which sends its requests to the L1 and passes it the answers.
class L0InstructionCache {
public:
    /// `unit`: its number, for events. `random`: of its ways and of the lines that it streams.
    L0InstructionCache(const InstructionCacheShape& shape, int unit, RandomSource random,
                       EventLog& log);

    /// A line that a warp needs.
    struct Need {
        std::uint64_t line = 0;
        std::size_t warp_slot = 0; ///< In the scheduler.
        int warp = 0;              ///< Number of the warp in the run.
    };
    struct Answer {
        /// When the line is there; `never` until `receive` tells it.
        std::int64_t at = never;
        std::optional<LineRequest> request; ///< To be sent to the L1.
    };
    /// Look-ups follow each other in time.
    Answer look_up(const Need& need, std::int64_t now);

    struct Arrival {
        std::size_t warp_slot = 0;
        std::int64_t at = 0;
    };
    /// The warps whose line is now known to arrive, and when.
    std::vector<Arrival> receive(const LineArrivals& arrivals);

private:
    /// A line that is in flight or in the stream buffer.
    struct Line {
        std::uint64_t line = 0;
        std::uint64_t request = 0;
        std::int64_t at = never;          ///< When it arrives; `never`: not known yet.
        std::int64_t needed_at = never;   ///< When a look-up needed it; `never`: only streamed.
        std::uint64_t order = 0;          ///< Of its fill among those of one cycle.
        std::vector<std::size_t> waiting; ///< Warps that wait to know when it arrives.

        [[nodiscard]] std::int64_t fills_at() const {
            return at == never || needed_at == never ? never : std::max(at, needed_at + 1);
        }
    };
    /// Fills that are due enter the cache, in the order of time.
    void fill(std::int64_t now);
    void expect_fill(Line& line);
    LineRequest request(const Need& need, std::int64_t now);

    std::uint64_t line_bytes_;
    std::size_t stream_;
    int unit_;
    EventLog* log_;
    LineCache cache_;
    std::vector<Line> lines_;
    std::uint64_t requests_ = 0;
    std::uint64_t fills_ = 0;
};

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// The L1 instruction cache of an SM (C69).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/pipeline/messages.hpp"
#include "harness/simulator/pipeline/outstanding_lines.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Looks up the requested lines one after the other and answers in the cycle of the request: what
/// comes later cannot change when they arrive.
class L1InstructionCache final : public Component {
public:
    struct Ports {
        std::vector<Sink<LineRequest>> requests;   ///< Per scheduler.
        std::vector<Source<LineArrivals>> answers; ///< Per scheduler.
    };
    /// `multiprocessor`: number of the SM. Requires: the machine has instruction caches.
    L1InstructionCache(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                       const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return never; }

private:
    void fill(std::int64_t until);
    /// When the line, looked up at `at`, is in this cache.
    std::int64_t look_up(std::uint64_t line, int warp, std::int64_t at);

    Ports links_;
    int multiprocessor_;
    InstructionCacheShape shape_;
    EventLog* log_;
    RandomSource random_;
    LineCache cache_;
    std::vector<OutstandingLine> fills_; ///< Outstanding lines, in the order of their requests.
    std::int64_t free_at_ = 0;
};

} // namespace warpbound::harness::simulator

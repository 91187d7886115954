#pragma once
/// \file
/// The fetch ports of an SM: they fill the empty instruction buffers of the warps (C43 to C45).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/pipeline/line_cache.hpp"
#include "harness/simulator/pipeline/messages.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// In the first step of a cycle it serves requests of earlier cycles.
class InstructionFetch final : public Component {
public:
    struct Ports {
        std::vector<Sink<FetchRequest>> requests; ///< Per scheduler.
        std::vector<Source<Fetched>> answers;     ///< Per scheduler.
    };
    /// `multiprocessor`: number of the SM. Requires: the machine has a fetch.
    InstructionFetch(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                     const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

private:
    struct PendingFetch {
        FetchRequest request;
        std::int64_t from = never; ///< The first cycle in which it may be served.
        bool missed = false;       ///< Its line was requested; it needs no further look-up.
    };
    struct Fill {
        std::uint64_t line = 0;
        std::int64_t at = 0;
    };
    void serve(std::int64_t now);
    /// None when the fetch hits in this cycle, else the first cycle in which it may be served.
    std::optional<std::int64_t> look_up(const PendingFetch& fetch, std::int64_t now);
    void find_wake(std::int64_t now);

    Ports links_;
    FetchShape shape_;
    std::size_t schedulers_;
    EventLog* log_;
    RandomSource random_;
    std::vector<PendingFetch> pending_; ///< Per warp slot of the SM.
    std::size_t next_;                  ///< The warp slot from which the next search starts.
    std::optional<LineCache> cache_;
    std::vector<Fill> fills_; ///< Outstanding lines.
    std::int64_t served_at_ = -1;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// The constant cache of an SM (C51 to C53).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/pipeline/messages.hpp"
#include "harness/simulator/pipeline/outstanding_lines.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Looks up the lines of an instruction in the cycle that its request names, and answers in that
/// cycle.
class ConstantCache final : public Component {
public:
    struct Ports {
        std::vector<Sink<ConstantRequest>> requests; ///< Per scheduler.
        std::vector<Source<ConstantAnswer>> answers; ///< Per scheduler.
    };
    /// `multiprocessor`: number of the SM. Requires: the machine has a constant cache.
    ConstantCache(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                  const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

private:
    void fill(std::int64_t now);
    void look_up(const ConstantRequest& request, std::int64_t now);
    /// When the line is present.
    std::int64_t look_up(std::uint64_t line, int warp, std::int64_t now);

    Ports links_;
    std::size_t multiprocessor_;
    LineCacheShape shape_;
    std::size_t schedulers_;
    EventLog* log_;
    RandomSource random_;
    LineCache cache_;
    std::vector<ConstantRequest> pending_; ///< For later cycles.
    std::vector<OutstandingLine> fills_;   ///< Outstanding lines.
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator

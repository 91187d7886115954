#pragma once
/// \file
/// The units of the L2 that execute global atomics, shared by all SMs: one at each slice (C57).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/memory/messages.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Serves the atomics of a slice one at a time, in the order in which they began; that of atomics
/// that began in one step is drawn. The result time is known in the cycle in which an atomic
/// begins.
class AtomicUnits final : public Component {
public:
    struct Ports {
        std::vector<Sink<AtomicIssue>> issues;       ///< Per scheduler, or operand collectors.
        std::vector<Source<ResultNotified>> results; ///< To each sender.
    };
    /// Requires: the machine has an atomic shape.
    AtomicUnits(Ports links, const MachineShape& machine, const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return never; }

    /// The latest result time of the launch's atomics so far; 0 without any.
    [[nodiscard]] std::int64_t completion(std::size_t launch) const {
        return launch < completion_.size() ? completion_[launch] : 0;
    }

private:
    /// Transactions of an atomic at one slice.
    struct Share {
        std::size_t slice = 0;
        std::int64_t transactions = 1;
    };

    [[nodiscard]] std::vector<Share> shares_of(const AtomicIssue& issue);
    void serve(const AtomicIssue& issue, std::size_t sender, std::int64_t now);

    Ports links_;
    AtomicShape shape_;
    EventLog* log_;
    RandomSource random_;
    std::vector<std::int64_t> free_at_;    ///< Per slice.
    std::vector<std::int64_t> completion_; ///< Per launch.
    std::vector<std::pair<std::size_t, AtomicIssue>> received_;
};

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// The memory queues of the schedulers of an SM, and the memory path that takes instructions from
/// them in turn (C71 to C74).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/pipeline/messages.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// The places of one queue, as its scheduler counts them.
class QueuePlaces {
public:
    explicit QueuePlaces(std::size_t places) : places_{places} {}

    /// The first cycle in which a place is free; `never` while that is not known.
    [[nodiscard]] std::int64_t free_at() const;
    void take() { ++waiting_; }
    /// The oldest instruction in the queue leaves its place at `at`.
    void leave(std::int64_t at);

private:
    std::size_t places_;
    std::size_t waiting_ = 0;         ///< Instructions whose hand-over is not known.
    std::deque<std::int64_t> leaves_; ///< Known hand-overs in order, at most `places_`.
};

/// Decides each hand-over as soon as every instruction that could take its cycle has issued: the
/// least entry of a class before it, less one cycle.
class MemoryQueues final : public Component {
public:
    struct Ports {
        std::vector<Sink<QueueOrder>> orders; ///< Per scheduler.
        std::vector<Source<HandOver>> hand_overs;
    };
    MemoryQueues(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                 const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

private:
    struct Queue {
        std::deque<QueueOrder> waiting;
        std::int64_t next_at = 0; ///< The first cycle in which it may hand over.

        [[nodiscard]] std::int64_t ready_at() const;
    };

    /// The first cycle in which the path takes an instruction; `never` when none waits.
    [[nodiscard]] std::int64_t next_hand_over() const;
    void hand_over(std::int64_t at);

    Ports links_;
    MemoryQueueShape shape_;
    EventLog* log_;
    RandomSource random_;
    std::vector<Queue> queues_;
    std::size_t turn_ = 0; ///< Scheduler at which the next search begins.
    std::int64_t path_free_at_ = 0;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator

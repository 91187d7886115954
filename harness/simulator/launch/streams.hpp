#pragma once
/// \file
/// The host: streams, copy engines, and the launches that enter the execution queue (C32, C33,
/// C36).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/launch/workload.hpp"

#include <array>
#include <deque>
#include <vector>

namespace warpbound::harness::simulator {

/// Acts in the first step of a cycle only.
class HostStreams final : public Component {
public:
    HostStreams(Source<LaunchQueued> queued, const RunPlan& plan, const RunOptions& options,
                EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

    /// Between cycles: the launch completes at `completion` and leaves its stream at `leaves`, a
    /// future cycle.
    void complete(std::size_t launch, std::int64_t completion, std::int64_t leaves);

    [[nodiscard]] bool is_done() const { return left_ == plan_->steps.size(); }
    /// By operation; `started` and `dispatched` of launches are not known here.
    [[nodiscard]] const std::vector<OperationTimes>& times() const { return times_; }

private:
    /// Issued operations of one stream that have not left it, by number.
    struct Stream {
        std::deque<std::size_t> operations;
        bool queued = false; ///< The first one has entered the queue of its engine.
    };
    struct Engine {
        std::deque<std::size_t> queue; ///< Copies that have not begun.
        std::optional<std::size_t> running;
        std::int64_t ends = never;
    };
    struct Leaving {
        std::size_t operation = 0;
        std::int64_t at = 0;
    };

    void issue(std::int64_t now);
    void leave(std::size_t operation, std::int64_t now);
    void end_copies(std::int64_t now);
    /// Whether every earlier operation on which it depends has left its stream.
    [[nodiscard]] bool may_enter(std::size_t operation) const;
    void enter_queues(std::int64_t now);
    void begin_copies(std::int64_t now);
    void log_step(OperationStep step, std::size_t operation, std::int64_t at);
    [[nodiscard]] Stream& stream_of(std::size_t operation);

    Source<LaunchQueued> queued_;
    const RunPlan* plan_;
    EventLog* log_;
    RandomSource random_;
    std::vector<Stream> streams_;           ///< The NULL stream last.
    std::vector<std::size_t> operation_of_; ///< By launch.
    std::vector<std::optional<std::size_t>>
        null_before_; ///< By operation: the last one of the NULL stream before it.
    std::array<Engine, 2> engines_;
    std::vector<Leaving> leaving_; ///< Completed launches.
    std::vector<OperationTimes> times_;
    std::vector<bool> has_left_;
    std::size_t left_ = 0;       ///< Number of operations that have left their streams.
    std::size_t all_before_ = 0; ///< All operations below this number have left.
    std::size_t next_ = 0;       ///< The next operation to issue.
    std::int64_t issues_at_ = 0; ///< When it issues.
    std::size_t issued_now_ = 0; ///< The first operation issued in this cycle.
    std::vector<std::size_t> entering_;
    std::int64_t wake_ = 0;
};

} // namespace warpbound::harness::simulator

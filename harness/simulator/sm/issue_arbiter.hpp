#pragma once
/// \file
/// Grants what the whole SM shares: core ports, places in the write buffer, in the load queue and
/// in the latches before the operand collectors.

#include "harness/simulator/adversary.hpp"
#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/machine_shape.hpp"
#include "harness/simulator/memory/messages.hpp"
#include "harness/simulator/messages.hpp"
#include "harness/simulator/sm/write_buffer.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Answers every request in the step after it. Of requests made together chance decides who comes
/// first, or the precedence of the run.
class IssueArbiter final : public Component {
public:
    struct Ports {
        std::vector<Sink<IssueRequest>> requests; ///< Per scheduler.
        std::vector<Source<IssueAnswer>> answers; ///< Per scheduler.
        std::vector<Staged<std::int64_t>*> ports_free_at;
        Staged<std::int64_t>* buffer_room_at = nullptr;
        std::optional<Sink<LatchNotice>> left_latch; ///< When the machine has a register file.
        std::vector<Staged<std::int64_t>*> latch_room_at;
        Staged<std::int64_t>* loads_room_at = nullptr;
        /// Where the machine has a load/store unit.
        std::optional<Sink<RoomFreed>> freed;
        std::vector<Source<RoomNotice>> notices; ///< Per scheduler.
    };
    /// `multiprocessor`: number of the SM.
    IssueArbiter(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                 const RunOptions& options, Precedence precedence, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return never; }

private:
    /// Places of which it is not known when they become free. What leaves one in a cycle still
    /// takes it in that cycle (C25, C26).
    struct Places {
        std::size_t count = 0;
        Staged<std::int64_t>* room_at = nullptr;
        std::size_t taken = 0;
        std::size_t leaving = 0; ///< Left in the cycle `left_at`.
        std::int64_t left_at = -1;

        void take(std::int64_t now);
        /// Returns whether all were taken.
        bool free(std::size_t freed, std::int64_t now);
    };

    IssueAnswer grant(const IssueRequest& request, std::int64_t now);
    void hear(const RoomFreed& freed, std::int64_t now);

    Ports links_;
    Range drain_;
    EventLog* log_;
    RandomSource random_;
    Precedence precedence_;
    std::optional<WriteBuffer> buffer_;   ///< Where stores go no further than it.
    std::vector<std::size_t> latch_room_; ///< Free places per pool of operand collectors.
    std::optional<Places> stores_;        ///< In its place where stores go on to the L2.
    std::optional<Places> loads_;
    std::vector<std::size_t> asking_;
};

} // namespace warpbound::harness::simulator

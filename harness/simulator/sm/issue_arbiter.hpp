#pragma once
/// \file
/// Grants the resources that all schedulers of an SM share: core ports, and entries of the write
/// buffer, of the load queue and of the latches of the operand collectors.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/memory/messages.hpp"
#include "harness/simulator/pipeline/messages.hpp"
#include "harness/simulator/sm/adversary.hpp"
#include "harness/simulator/sm/messages.hpp"
#include "harness/simulator/sm/write_buffer.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Answers every request in the next step. The order of simultaneous requests is drawn or follows
/// the precedence of the run.
class IssueArbiter final : public Component {
public:
    struct Ports {
        std::vector<Sink<IssueRequest>> requests; ///< Per scheduler.
        std::vector<Source<IssueAnswer>> answers; ///< Per scheduler.
        std::vector<Staged<std::int64_t>*> ports_free_at;
        Staged<std::int64_t>* buffer_free_at = nullptr;
        std::optional<Sink<LatchFreed>> latch_freed; ///< When the machine has a register file.
        std::vector<Staged<std::int64_t>*> latch_free_at;
        Staged<std::int64_t>* load_queue_free_at = nullptr;
        /// Where the machine has a load/store unit.
        std::optional<Sink<EntriesFreed>> freed;
        std::vector<Source<EntryAvailable>> notices; ///< Per scheduler.
    };
    /// `multiprocessor`: number of the SM.
    IssueArbiter(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                 const RunOptions& options, Precedence precedence, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return never; }

private:
    /// Entries whose release times are unknown. An entry released in a cycle still counts as
    /// occupied in that cycle (C25, C26).
    struct QueueEntries {
        std::size_t count = 0;
        Staged<std::int64_t>* free_at = nullptr;
        std::size_t occupied = 0;
        std::size_t released = 0; ///< In the cycle `released_at`.
        std::int64_t released_at = -1;

        void allocate(std::int64_t now);
        /// Returns whether all entries were occupied.
        bool release(std::size_t freed, std::int64_t now);
    };

    IssueAnswer grant(const IssueRequest& request, std::int64_t now);
    void receive(const EntriesFreed& freed, std::int64_t now);

    Ports links_;
    DrainShape drain_;
    EventLog* log_;
    RandomSource random_;
    Precedence precedence_;
    std::optional<WriteBuffer> buffer_;      ///< Where stores end in it.
    std::vector<std::size_t> latch_entries_; ///< Free entries per pool of operand collectors.
    std::optional<QueueEntries> stores_; ///< Replaces `buffer_` where stores continue to the L2.
    std::optional<QueueEntries> loads_;
    std::vector<std::size_t> requesters_;
};

} // namespace warpbound::harness::simulator

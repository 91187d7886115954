#pragma once
/// \file
/// The operand collectors: from the issue of an instruction to the entry into its unit (C47 to
/// C50). Loads and stores continue to the load/store unit.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/pipeline/messages.hpp"
#include "harness/simulator/pipeline/register_banks.hpp"
#include "harness/simulator/pipeline/result_slots.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// The first step of a cycle advances all instructions by one stage, in this order: into the units,
/// out of the collectors, operand reads from the banks, into the collectors. The result time is
/// known when an instruction enters its unit; that of a load through the caches when the fill times
/// of its lines are known.
class OperandCollectors final : public Component {
public:
    struct Ports {
        std::vector<Sink<CollectOrder>> orders;    ///< Per scheduler.
        std::vector<Source<ResultNotice>> results; ///< Per scheduler.
        Source<LatchFreed> latch_freed;            ///< To the issue arbiter.
        /// Where the machine has a load/store unit.
        struct Memory {
            Source<MemoryIssue> issues;
            Sink<ResultNotified> results;
            Sink<EntriesFreed> freed;
        };
        std::optional<Memory> memory{};
        /// Where global atomics may execute.
        struct Atomics {
            Source<AtomicIssue> issues;
            Sink<ResultNotified> results;
        };
        std::optional<Atomics> atomics{};
    };
    /// `multiprocessor`: number of the SM. Requires: the machine has a register file.
    OperandCollectors(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                      const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

private:
    /// An issued instruction.
    struct InFlight {
        CollectOrder order;
        std::size_t scheduler = 0;
        std::uint64_t rank = 0; ///< In issue order.
        std::int64_t since = 0; ///< Cycle in which it entered its collector.
        std::size_t unread = 0; ///< Operands that have not been read.
    };
    struct ExecutionUnit {
        std::int64_t free_at = 0;
        std::vector<std::int64_t> results; ///< Future result cycles, for fixed latencies.
    };
    struct Pool {
        CollectorShape shape;
        std::vector<InFlight> latch;
        std::vector<std::optional<InFlight>> collectors;
        std::vector<std::size_t>
            next_to_leave; ///< Per exit port: the collector where its search starts.
        std::vector<InFlight> dispatch;
        std::vector<ExecutionUnit> units;
    };
    /// Entries of a queue; an access allocates one when it enters its unit. An entry released in a
    /// cycle is free in the next.
    struct QueueEntries {
        std::size_t count = 0;
        std::size_t occupied = 0;
    };
    struct Reader {
        std::size_t pool = 0;
        std::size_t collector = 0;
    };

    void move(std::int64_t now);
    [[nodiscard]] std::int64_t next_move(std::int64_t now);
    void admit();
    void execute(Pool& pool, std::int64_t now);
    void begin(const InFlight& traveller, std::int64_t now);
    /// Schedules the register writes of the instruction and notifies its scheduler.
    void notify(const InFlight& traveller, ResultNotice notice);
    /// Its index among those that wait for a result time.
    std::size_t keep_pending(const InFlight& traveller);
    void send_to_memory(const InFlight& traveller);
    void receive_from_memory();
    void receive_results(const Sink<ResultNotified>& results);
    /// The oldest instruction that waits to enter a unit. Requires: there is one.
    static std::vector<InFlight>::iterator oldest_of(Pool& pool);
    /// The queue in which its access allocates an entry; null when it needs none.
    [[nodiscard]] QueueEntries* queue_of(const CollectOrder& order);
    void leave(Pool& pool, std::int64_t now);
    void read(std::int64_t now);
    void enter(std::size_t pool, std::int64_t now);

    Ports links_;
    std::int64_t write_back_;
    std::size_t schedulers_;
    EventLog* log_;
    RandomSource random_;
    std::vector<Pool> pools_;
    RegisterBanks<Reader> banks_;
    ResultSlots slots_;
    std::vector<InFlight> arriving_; ///< Issued in the cycle of the last order.
    std::uint64_t issued_ = 0;
    std::size_t in_flight_count_ = 0; ///< Issued, not yet in a unit.
    std::int64_t moved_at_ = -1;
    bool moved_ = false;  ///< Any instruction advanced in the last cycle.
    QueueEntries loads_;  ///< Of the load queue of the L1.
    QueueEntries stores_; ///< Of the write buffer.
    /// Loads and atomics that wait for their result times; includes free entries.
    std::vector<InFlight> pending_;
    std::vector<std::size_t> free_pending_;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator

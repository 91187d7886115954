#pragma once
/// \file
/// The way of an instruction from its issue through an operand collector into its unit (C47 to
/// C50), from where loads and stores go on to the load/store unit.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/messages.hpp"
#include "harness/simulator/pipeline/register_banks.hpp"
#include "harness/simulator/pipeline/result_slots.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Moves everything by one stage in each cycle, at its first step: into the units, out of the
/// collectors, operands out of the banks, into the collectors. The times of the results are known
/// when an instruction enters its unit, those of loads through the caches when their lines come.
class OperandCollectors final : public Component {
public:
    struct Ports {
        std::vector<Sink<CollectOrder>> orders;    ///< Per scheduler.
        std::vector<Source<ResultNotice>> results; ///< Per scheduler.
        Source<LatchNotice> left_latch;            ///< To who grants places in the latches.
        /// Where the machine has a load/store unit.
        struct Memory {
            Source<MemoryIssue> issues;
            Sink<ResultNotified> results;
            Sink<RoomFreed> freed;
        };
        std::optional<Memory> memory{};
    };
    /// `multiprocessor`: number of the SM. Requires: the machine has a register file.
    OperandCollectors(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                      const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

private:
    /// An issued instruction.
    struct Traveller {
        CollectOrder order;
        std::size_t scheduler = 0;
        std::uint64_t rank = 0; ///< Those that issued earlier have the smaller one.
        std::int64_t since = 0; ///< Cycle in which it entered its collector.
        std::size_t unread = 0; ///< Operands that are not read.
    };
    struct ExecutionUnit {
        std::int64_t free_at = 0;
        std::vector<std::int64_t> results; ///< Cycles of results of fixed latency to come.
    };
    struct Pool {
        CollectorShape shape;
        std::vector<Traveller> latch;
        std::vector<std::optional<Traveller>> collectors;
        std::vector<std::size_t> next_to_leave; ///< Per exit port: where its search begins.
        std::vector<Traveller> dispatch;
        std::vector<ExecutionUnit> units;
    };
    /// Places that an access needs when its unit takes it. One left in a cycle is free in the next.
    struct Room {
        std::size_t places = 0;
        std::size_t taken = 0;
    };
    struct Reader {
        std::size_t pool = 0;
        std::size_t collector = 0;
    };

    void move(std::int64_t now);
    [[nodiscard]] std::int64_t next_move(std::int64_t now);
    void admit();
    void execute(Pool& pool, std::int64_t now);
    void begin(const Traveller& traveller, std::int64_t now);
    /// Writes what the instruction writes and tells its scheduler.
    void tell(const Traveller& traveller, ResultNotice notice);
    void send_to_memory(const Traveller& traveller);
    void hear_memory();
    /// Of those that wait to enter a unit the one that issued first. Requires: there is one.
    static std::vector<Traveller>::iterator first_of(Pool& pool);
    /// Of its access; null when it needs none.
    [[nodiscard]] Room* room_of(const CollectOrder& order);
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
    std::vector<Traveller> arriving_; ///< Issued in the cycle of the last order.
    std::uint64_t issued_ = 0;
    std::size_t travelling_ = 0; ///< Issued, not yet in a unit.
    std::int64_t moved_at_ = -1;
    bool moved_ = false;          ///< Anything in the last cycle.
    Room loads_;                  ///< In the load queue of the L1.
    Room stores_;                 ///< In the write buffer.
    std::vector<Traveller> told_; ///< Loads that wait for their lines, with free places.
    std::vector<std::size_t> free_told_;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator

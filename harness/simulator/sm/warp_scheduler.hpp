#pragma once
/// \file
/// One warp scheduler: chooses among its warps according to its policy.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/memory/messages.hpp"
#include "harness/simulator/pipeline/l0_instruction_cache.hpp"
#include "harness/simulator/pipeline/memory_queue.hpp"
#include "harness/simulator/pipeline/operand_cache.hpp"
#include "harness/simulator/pipeline/queued_reads.hpp"
#include "harness/simulator/pipeline/write_ports.hpp"
#include "harness/simulator/sm/arbitration.hpp"
#include "harness/simulator/sm/issue_times.hpp"
#include "harness/simulator/sm/messages.hpp"
#include "harness/simulator/sm/warp.hpp"

#include <optional>
#include <span>
#include <vector>

namespace warpbound::harness::simulator {

/// When the resources that all schedulers of an SM share are free, as a scheduler sees it.
struct SharedView {
    std::vector<const Staged<std::int64_t>*> ports_free_at; ///< Core ports.
    const Staged<std::int64_t>* buffer_free_at = nullptr;
    std::vector<const Staged<std::int64_t>*> latch_free_at; ///< Per pool of operand collectors.
    const Staged<std::int64_t>* load_queue_free_at = nullptr;
};

/// Chooses the first candidate of the policy that may issue. An instruction that uses only this
/// scheduler's warps and ports issues at once. For shared resources it sends a request to the
/// arbiter; if that is refused, it continues the search in the same cycle.
class WarpScheduler final : public Component {
public:
    struct Config {
        std::size_t multiprocessor = 0; ///< Number of the SM.
        std::size_t index = 0;          ///< Among the schedulers of the SM.
        std::size_t warps = 0;          ///< Warp slots.
    };
    struct Ports {
        Source<IssueRequest> requests;
        Sink<IssueAnswer> answers;
        Source<WarpReport> reports;
        Sink<BlockOrder> orders;
        std::optional<Source<FetchRequest>> fetches; ///< When the machine has a fetch.
        std::optional<Sink<Fetched>> fetched;
        std::optional<Source<LineRequest>> lines; ///< When it has instruction caches.
        std::optional<Sink<LineArrivals>> line_arrivals;
        std::optional<Source<CollectOrder>> collects; ///< When it has a register file.
        std::optional<Sink<ResultNotice>> results;
        std::optional<Source<ConstantRequest>> constants; ///< When it has a constant cache.
        std::optional<Sink<ConstantAnswer>> constant_answers;
        SharedView shared;
        /// Where the machine has a load/store unit, and no operand collectors before it.
        struct Memory {
            Source<MemoryIssue> issues;
            Sink<ResultNotified> results;
            Sink<EntryAvailable> notices;
        };
        std::optional<Memory> memory{};
        /// Where global atomics may execute, and there are no operand collectors.
        struct Atomics {
            Source<AtomicIssue> issues;
            Sink<ResultNotified> results;
        };
        std::optional<Atomics> atomics{};
        /// Where memory instructions wait in a queue (C71).
        struct Queue {
            Source<QueueOrder> orders;
            Sink<HandOver> hand_overs;
        };
        std::optional<Queue> queue{};
    };
    /// `finished` receives the observation of each warp that ends, by its number.
    WarpScheduler(const Config& config, Ports links, const MachineShape& machine,
                  const RunOptions& options, EventLog& log,
                  std::vector<models::WarpObservation>& finished);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

    [[nodiscard]] const std::vector<Warp>& warps() const { return warps_; }
    /// Latest result time of instructions whose warps had ended, of the launch (C50).
    [[nodiscard]] std::int64_t late_completion(std::size_t launch) const {
        return launch < pending_results_.size() ? pending_results_[launch].late : 0;
    }
    /// The result times of all instructions that the launch issued to operand collectors or the
    /// memory queue are known.
    [[nodiscard]] bool knows_results(std::size_t launch) const {
        return launch >= pending_results_.size() || pending_results_[launch].expected == 0;
    }
    /// Why a warp could not start.
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    struct PendingRequest {
        std::size_t warp = 0;
        StallEnds stalls;
        bool paired = false;
    };

    /// The instructions that a launch issued to operand collectors or the memory queue.
    struct PendingResults {
        std::int64_t expected = 0; ///< Results whose times were not received yet.
        std::int64_t late = 0;     ///< Latest time received after the end of the warp.
    };
    PendingResults& pending_results_of(std::size_t launch);

    void start(std::size_t block_slot, const Placement& block);
    void apply(const BlockOrder& order);
    /// Returns whether there was a message.
    bool receive_from_memory();
    bool receive_from_atomics();
    bool receive_from_queue();
    /// Sends what memory queues hand over in this cycle: atomics to the atomic units, loads through
    /// the caches to the load/store unit.
    void send_handed_over(std::int64_t now);
    void put_into_queue(std::size_t warp, std::int64_t now);
    void send_to_collectors(std::size_t warp);
    /// The messages to the memory system and the atomic units that the warp's next instruction
    /// sends.
    void prepare_messages(std::size_t warp);
    /// The warp, which just issued, arrived at a barrier or ended.
    void report(std::size_t warp, const Operation& operation, bool arrives, std::int64_t now);
    /// The message to the load/store unit about the next instruction of the warp, a load or store,
    /// or the first part of that to the atomic units.
    [[nodiscard]] MemoryIssue memory_issue(std::size_t warp);
    void choose(std::int64_t now);
    /// Issues the warp's next instruction, or sends a request for it. Returns whether it issued.
    bool try_issue(std::size_t warp, std::int64_t now, bool paired);
    void issue(std::size_t warp, std::int64_t now, const StallEnds& stalls, bool paired);
    /// The instruction of the warp takes its stages (C60, C61). Returns by how much its grant is
    /// later than without contention.
    std::int64_t take_stages(const Warp& warp, std::int64_t now);
    /// The result of an instruction that issued with `lag`, whose number in its warp is `number`,
    /// takes or awaits the write ports of its banks (C108).
    void take_write_ports(std::size_t warp, const Operation& operation, std::int64_t number,
                          std::int64_t now, std::int64_t lag);
    /// An instruction of variable latency that executed awaits its reads (C111).
    void await_read(std::size_t warp, std::size_t instruction, std::int64_t number,
                    std::int64_t now);
    /// Instructions whose last register is read in this cycle. Returns whether there are any.
    bool read_sources(std::int64_t now);
    /// Results whose last register is written in this cycle. Returns whether there are any.
    bool write_results(std::int64_t now);
    // What the next instruction of the warp needs besides the warp; null where it does not.
    [[nodiscard]] IssueTimes::Gate port_of(const Warp& warp) const;
    [[nodiscard]] IssueTimes::Gate load_entry_of(const Warp& warp) const;
    [[nodiscard]] IssueTimes::Gate buffer_entry_of(const Warp& warp) const;
    [[nodiscard]] IssueTimes::Gate collector_of(const Warp& warp) const;
    [[nodiscard]] std::size_t pool_of(const Operation& operation) const;
    /// Keeps when the warp may issue. Call it after each change of the warp.
    void keep_time(std::size_t warp);
    /// The stalls of the warp's next instruction, for a listener.
    [[nodiscard]] StallEnds stalls_of(const Warp& warp) const;
    /// Warps see the increments of scoreboards that are visible at `now` (C85).
    void see_increments(std::int64_t now);
    /// The first cycle from `from` on in which one of the warps may be chosen.
    [[nodiscard]] std::int64_t soonest(std::int64_t from, std::span<const std::size_t> warps) const;
    /// The warp that the policy chooses in this cycle. Null where there is none; `wake_` is then
    /// the first cycle in which there may be one.
    [[nodiscard]] const std::size_t* find_candidate(std::int64_t now);
    /// A result time of an instruction that issued from the warp slot.
    bool complete(std::size_t warp_slot, int warp, std::int64_t number,
                  std::optional<std::int64_t> at,
                  std::optional<std::int64_t> sources_read = std::nullopt);
    /// Returns whether there was a message.
    bool receive_from_pipeline(std::int64_t now);
    /// Sends the constant requests of warps as soon as the cycle of their look-up is known. Returns
    /// whether an answer is due in this cycle; until it arrives no warp is chosen.
    bool awaits_constants(std::int64_t now);
    /// Looks up the constant operands of the warp's next instruction, unless that was done. Returns
    /// whether they are there; else the scheduler is held (C82).
    bool finds_operands(std::size_t warp, std::int64_t now);
    /// Sends the fetch request of a warp with an empty buffer, if any.
    void fetch_for(std::size_t warp, std::int64_t now);
    /// Looks up the line of the warp's next instruction in the L0, if it has to be.
    void look_up_line(std::size_t warp, std::int64_t now);
    /// Those of warps that start in this cycle.
    void look_up_first_lines(std::int64_t now);
    [[nodiscard]] std::size_t warp_slot_on_sm(std::size_t warp) const {
        return warp * machine_->schedulers + config_.index;
    }

    Config config_;
    Ports links_;
    const MachineShape* machine_;
    EventLog* log_;
    std::vector<models::WarpObservation>* finished_;
    RandomSource random_;
    std::vector<Warp> warps_;
    IssueTimes times_;
    std::vector<std::size_t> unseen_;      ///< Warps with unseen increments of scoreboards.
    std::vector<std::size_t> constants_;   ///< Warps that wait for constants, by warp slot.
    std::vector<std::size_t> block_slots_; ///< Of the warps' blocks on the SM.
    std::vector<std::size_t> launches_;    ///< Of the warps' blocks in the run.
    std::vector<Port> ports_;
    std::optional<ReadPorts> read_ports_;
    std::optional<WritePorts> write_ports_;
    std::optional<QueuedReads> queued_reads_;
    std::optional<QueuePlaces> queue_places_;
    std::int64_t queue_free_at_ = 0;
    std::optional<MemoryIssue> to_memory_;  ///< Of the instruction that issues.
    std::optional<AtomicIssue> to_atomics_; ///< Likewise.
    /// Decided hand-overs of atomics and of loads through the caches, in order.
    std::deque<HandOver> handed_over_;
    std::unique_ptr<Arbitration> arbitration_;
    std::optional<L0InstructionCache> l0_;
    std::optional<OperandCache> operands_;
    /// A warp whose first line has not been looked up.
    struct FirstLine {
        std::size_t warp = 0;
        std::int64_t at = 0;
    };
    std::vector<FirstLine> first_lines_;
    std::int64_t next_choice_ = 0;
    std::optional<std::size_t> paired_; ///< This warp may issue a second instruction in the cycle.
    std::optional<PendingRequest> pending_request_;
    std::optional<Failure> failure_;
    std::vector<PendingResults> pending_results_; ///< By launch.
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator

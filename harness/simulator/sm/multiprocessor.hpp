#pragma once
/// \file
/// One simulated SM: its components and the links between them.

#include "harness/simulator/clock/clock.hpp"
#include "harness/simulator/memory/load_store_unit.hpp"
#include "harness/simulator/pipeline/constant_cache.hpp"
#include "harness/simulator/pipeline/instruction_fetch.hpp"
#include "harness/simulator/pipeline/l1_instruction_cache.hpp"
#include "harness/simulator/pipeline/memory_queue.hpp"
#include "harness/simulator/pipeline/operand_collectors.hpp"
#include "harness/simulator/sm/issue_arbiter.hpp"
#include "harness/simulator/sm/resident_blocks.hpp"
#include "harness/simulator/sm/warp_scheduler.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::simulator {

/// Owns the schedulers, their arbiter, the resident blocks, the optional pipeline and memory
/// components of one SM, and the links between them.
class MultiProcessor {
public:
    struct Ports {
        Sink<Placement> placements;
        Source<BlockEnded> ends;
        /// Where the machine has caches.
        struct Memory {
            Source<MemoryRequest> requests;
            Sink<MemoryAnswer> answers;
        };
        std::optional<Memory> memory{};
        /// To and from the atomic units, per scheduler, or for the operand collectors alone. Empty
        /// where no global atomic executes.
        struct Atomics {
            std::vector<Source<AtomicIssue>> issues;
            std::vector<Sink<ResultNotified>> results;
        };
        Atomics atomics{};
    };
    /// Adds its components to the clock. `number`: of the SM. `finished` receives the observation
    /// of each warp that ends, by its number.
    MultiProcessor(std::size_t number, const Ports& links, const MachineShape& machine,
                   const RunOptions& options, Precedence precedence, Clock& clock, EventLog& log,
                   std::vector<models::WarpObservation>& finished);

    /// All instructions of the launch that are in flight here have a known completion time, and its
    /// stores have left the write buffer. Requires: its warps have ended.
    [[nodiscard]] bool is_quiet(std::size_t launch) const;
    /// The latest completion time, as far as known, of instructions that were in flight when their
    /// warps ended (C2, C50).
    [[nodiscard]] std::int64_t late_completion(std::size_t launch) const;
    /// Why a warp could not start.
    [[nodiscard]] std::optional<Failure> failure() const;
    /// Describes each warp that waits at a barrier.
    [[nodiscard]] std::vector<std::string> waiting_warps() const;

private:
    std::deque<Link<IssueRequest>> requests_;
    std::deque<Link<IssueAnswer>> answers_;
    std::deque<Link<WarpReport>> reports_;
    std::deque<Link<BlockOrder>> orders_;
    void add_fetch(std::size_t number, const MachineShape& machine, const RunOptions& options,
                   Clock& clock, EventLog& log);
    void add_instruction_cache(std::size_t number, const MachineShape& machine,
                               const RunOptions& options, Clock& clock, EventLog& log);
    void add_constants(std::size_t number, const MachineShape& machine, const RunOptions& options,
                       Clock& clock, EventLog& log);
    void add_collectors(std::size_t number, const Ports& ports, const MachineShape& machine,
                        const RunOptions& options, Clock& clock, EventLog& log);
    void add_memory_queue(std::size_t number, const MachineShape& machine,
                          const RunOptions& options, Clock& clock, EventLog& log);
    WarpScheduler::Ports links_of(std::size_t scheduler, const SharedView& shared);

    std::deque<Link<FetchRequest>> fetch_requests_;
    std::deque<Link<Fetched>> fetched_;
    std::deque<Link<LineRequest>> line_requests_;
    std::deque<Link<LineArrivals>> line_arrivals_;
    std::deque<Link<QueueOrder>> queue_orders_;
    std::deque<Link<HandOver>> hand_overs_;
    std::deque<Link<ConstantRequest>> constant_requests_;
    std::deque<Link<ConstantAnswer>> constant_answers_;
    std::deque<Link<CollectOrder>> collect_orders_;
    std::deque<Link<ResultNotice>> results_;
    std::optional<Link<LatchFreed>> latch_freed_;
    std::deque<Staged<std::int64_t>> latch_free_at_;
    std::deque<Staged<std::int64_t>> ports_free_at_;
    Staged<std::int64_t> buffer_free_at_;
    Staged<std::int64_t> load_queue_free_at_;
    std::deque<Link<MemoryIssue>> memory_issues_;
    std::deque<Link<ResultNotified>> memory_results_;
    std::deque<Link<EntryAvailable>> notices_;
    Link<EntriesFreed> freed_;
    std::deque<WarpScheduler> schedulers_;
    std::optional<IssueArbiter> arbiter_;
    std::optional<ResidentBlocks> blocks_;
    std::optional<InstructionFetch> fetch_;
    std::optional<L1InstructionCache> instructions_;
    std::optional<MemoryQueues> queues_;
    std::optional<ConstantCache> constants_;
    std::optional<OperandCollectors> collectors_;
    std::optional<LoadStoreUnit> memory_;
};

} // namespace warpbound::harness::simulator

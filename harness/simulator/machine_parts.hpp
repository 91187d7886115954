#pragma once
/// \file
/// The parts of a simulated machine in one run, and the links between them.

#include "harness/simulator/clock/clock.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/launch/block_dispatcher.hpp"
#include "harness/simulator/launch/streams.hpp"
#include "harness/simulator/memory/atomic_units.hpp"
#include "harness/simulator/memory/memory_system.hpp"
#include "harness/simulator/parallel/logical_process.hpp"
#include "harness/simulator/sm/adversary.hpp"
#include "harness/simulator/sm/multiprocessor.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Event log, host, dispatcher, SMs, and what the SMs share. All parts have one clock, or each SM
/// and the memory system have one of their own.
class MachineParts {
public:
    MachineParts(const RunPlan& plan, const RunOptions& options, const Listener& listener,
                 const TickOrder& order, bool own_clocks);

    /// Of the host, the dispatcher and the atomic units, and of all parts without own clock.
    [[nodiscard]] Clock& clock() { return clock_; }
    // Where the SMs have own clocks.
    [[nodiscard]] Clock& memory_clock() { return memory_clock_; }
    [[nodiscard]] std::deque<LogicalProcess>& processes() { return processes_; }

    [[nodiscard]] EventLog& log() { return log_; }
    [[nodiscard]] BlockDispatcher& dispatcher() { return *dispatcher_; }
    /// The observation of every warp. Requires: the run has ended.
    [[nodiscard]] std::vector<models::WarpObservation>& finished() { return finished_; }

    /// Whether each SM is (`MultiProcessor::is_quiet`).
    [[nodiscard]] bool is_quiet(std::size_t launch) const;
    /// Between cycles: notifies the host of launches that were complete at the end of cycle `now`.
    void complete_launches(std::int64_t now);
    /// Of a run that ended in cycle `now`, as nothing has to be done any more.
    [[nodiscard]] Result<WorkloadObservation> result(std::int64_t now);

private:
    template <typename Message>
    Sink<Message> to_shared(std::size_t number, Link<Message>& link,
                            std::deque<Link<Message>>& links);
    void connect_atomics(std::size_t number, MultiProcessor::Ports& ports,
                         AtomicUnits::Ports& to_atomics);
    void connect_memory(std::size_t number, MultiProcessor::Ports& ports,
                        MemorySystem::Ports& to_memory);
    [[nodiscard]] Clock& clock_of(std::size_t multiprocessor) {
        return processes_.empty() ? clock_ : processes_[multiprocessor].clock();
    }
    [[nodiscard]] std::optional<Failure> failure() const;
    [[nodiscard]] Failure deadlock(std::int64_t now) const;
    [[nodiscard]] WorkloadObservation observation() const;

    const RunPlan& plan_;
    const MachineShape& machine_;
    Adversary adversary_;
    RunOptions options_; ///< With the draw that the adversary chose.
    EventLog log_;
    Clock clock_;
    Clock memory_clock_;
    std::deque<LogicalProcess> processes_; ///< Per SM; empty where all parts have one clock.
    std::deque<Link<Placement>> placements_;
    std::deque<Link<BlockEnded>> ends_;
    std::deque<Link<MemoryRequest>> memory_requests_;
    std::deque<Link<MemoryAnswer>> memory_answers_;
    std::deque<Link<AtomicIssue>> atomic_issues_;
    std::deque<Link<ResultNotified>> atomic_results_;
    Link<LaunchQueued> launches_{clock_.clocked_state()};
    std::vector<models::WarpObservation> finished_;
    std::deque<MultiProcessor> multiprocessors_;
    std::optional<HostStreams> host_;
    std::optional<BlockDispatcher> dispatcher_;
    std::optional<MemorySystem> memory_;
    std::optional<AtomicUnits> atomics_;
};

} // namespace warpbound::harness::simulator

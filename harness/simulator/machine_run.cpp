#include "harness/simulator/machine_run.hpp"

#include "assembly/support/stop_token.hpp"
#include "harness/simulator/launch/block_dispatcher.hpp"
#include "harness/simulator/launch/streams.hpp"
#include "harness/simulator/memory/atomic_units.hpp"
#include "harness/simulator/memory/memory_system.hpp"
#include "harness/simulator/sm/adversary.hpp"
#include "harness/simulator/sm/multiprocessor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace warpbound::harness::simulator {

namespace {

/// The machine of one run: clock, event log, host, SMs, and the shared memory system.
class MachineRun {
public:
    MachineRun(const RunPlan& plan, const RunOptions& options, const Listener& listener,
               const TickOrder& order);

    /// Runs to the end of the last operation.
    Result<WorkloadObservation> run();
    /// The observation of every warp. Requires: the run has ended.
    std::vector<models::WarpObservation>& finished() { return finished_; }

private:
    [[nodiscard]] std::optional<Failure> failure() const;
    [[nodiscard]] Failure deadlock(std::int64_t now) const;
    /// Between cycles: notifies the host of completed launches.
    void complete_launches(std::int64_t now);
    [[nodiscard]] WorkloadObservation observation() const;

    const RunPlan& plan_;
    const MachineShape& machine_;
    Adversary adversary_;
    RunOptions options_; ///< With the draw that the adversary chose.
    EventLog log_;
    Clock clock_;
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

std::size_t warps_of(const RunPlan& plan) {
    std::int64_t warps = 0;
    for (const Grid& grid : plan.grids)
        warps += grid.code->blocks * grid.code->demand.warps;
    return static_cast<std::size_t>(warps);
}

MachineRun::MachineRun(const RunPlan& plan, const RunOptions& options, const Listener& listener,
                       const TickOrder& order)
    : plan_{plan}, machine_{plan.machine},
      adversary_{adversary_of(options)}, options_{options}, log_{listener}, clock_{order},
      finished_(warps_of(plan)) {
    options_.draw = adversary_.values;
    BlockDispatcher::Ports links{Sink{launches_}, {}, {}};
    MemorySystem::Ports to_memory;
    AtomicUnits::Ports to_atomics;
    const std::size_t senders = !machine_.atomics        ? 0
                                : machine_.register_file ? 1
                                                         : machine_.schedulers;
    for (std::size_t number = 0; number < machine_.multiprocessors; ++number) {
        auto& placement = placements_.emplace_back(clock_.clocked_state());
        auto& ended = ends_.emplace_back(clock_.clocked_state());
        links.placements.emplace_back(placement);
        links.ends.emplace_back(ended);
        MultiProcessor::Ports to_multiprocessor{Sink{placement}, Source{ended}, {}, {}};
        for (std::size_t sender = 0; sender < senders; ++sender) {
            auto& issue = atomic_issues_.emplace_back(clock_.clocked_state());
            auto& result = atomic_results_.emplace_back(clock_.clocked_state());
            to_atomics.issues.emplace_back(issue);
            to_atomics.results.emplace_back(result);
            to_multiprocessor.atomics.issues.emplace_back(issue);
            to_multiprocessor.atomics.results.emplace_back(result);
        }
        if (machine_.memory) {
            auto& request = memory_requests_.emplace_back(clock_.clocked_state());
            auto& answer = memory_answers_.emplace_back(clock_.clocked_state());
            to_memory.requests.emplace_back(request);
            to_memory.answers.emplace_back(answer);
            to_multiprocessor.memory.emplace(
                MultiProcessor::Ports::Memory{Source{request}, Sink{answer}});
        }
        multiprocessors_.emplace_back(number, to_multiprocessor, machine_, options_,
                                      adversary_.precedence, clock_, log_, finished_);
    }
    clock_.add(host_.emplace(Source{launches_}, plan, options_, log_));
    clock_.add(dispatcher_.emplace(std::move(links), machine_, plan.grids, options_,
                                   adversary_.concentrates_blocks, log_));
    if (machine_.memory)
        clock_.add(memory_.emplace(std::move(to_memory), machine_, options_, log_));
    if (machine_.atomics)
        clock_.add(atomics_.emplace(std::move(to_atomics), machine_, options_, log_));
}

std::optional<Failure> MachineRun::failure() const {
    for (const MultiProcessor& multiprocessor : multiprocessors_)
        if (auto failed = multiprocessor.failure()) return failed;
    if (dispatcher_->lacks_replacement()) return plan_.no_replacement;
    return std::nullopt;
}

Failure MachineRun::deadlock(std::int64_t now) const {
    std::vector<std::string> waiting;
    for (const MultiProcessor& multiprocessor : multiprocessors_)
        for (std::string& warp : multiprocessor.waiting_warps())
            waiting.push_back(std::move(warp));
    return Failure{
        fmt::format("deadlock at cycle {}: {} wait for each other", now, fmt::join(waiting, ", ")),
        "", 0, 0};
}

void MachineRun::complete_launches(std::int64_t now) {
    std::vector<std::size_t>& ended = dispatcher_->ended();
    const auto is_quiet = [this](std::size_t launch) {
        return std::all_of(multiprocessors_.begin(), multiprocessors_.end(),
                           [&](const auto& sm) { return sm.is_quiet(launch); });
    };
    const auto complete =
        std::partition(ended.begin(), ended.end(), [&](auto launch) { return !is_quiet(launch); });
    std::sort(complete, ended.end());
    for (auto launch = complete; launch != ended.end(); ++launch) {
        std::int64_t completion = dispatcher_->progress(*launch).completion;
        for (const MultiProcessor& multiprocessor : multiprocessors_)
            completion = std::max(completion, multiprocessor.late_completion(*launch));
        if (atomics_) completion = std::max(completion, atomics_->completion(*launch));
        host_->complete(*launch, completion, std::max(completion, now + 1));
    }
    if (complete == ended.end()) return;
    ended.erase(complete, ended.end());
    clock_.reset(*host_);
}

WorkloadObservation MachineRun::observation() const {
    WorkloadObservation observed{
        .seed = options_.seed, .makespan = 0, .operations = host_->times()};
    for (std::size_t launch = 0; launch < plan_.grids.size(); ++launch) {
        OperationTimes& times = observed.operations[plan_.grids[launch].operation];
        times.started = dispatcher_->progress(launch).started;
        times.dispatched = dispatcher_->progress(launch).dispatched;
    }
    for (const OperationTimes& times : observed.operations)
        observed.makespan = std::max(observed.makespan, times.ended);
    return observed;
}

Result<WorkloadObservation> MachineRun::run() {
    std::int64_t now = 0;
    clock_.advance(now);
    for (;;) {
        check_stop("the simulated run");
        if (!dispatcher_->ended().empty()) complete_launches(now);
        const std::int64_t next = clock_.next();
        if (next == never) break;
        if (log_.has_listener()) log_.flush(now);
        // A wake time in the past would stop the clock; no component leaves one.
        now = std::max(next, now + 1);
        if (const auto limit = std::min(run_limit, options_.longest); now > limit)
            return Failure{fmt::format("the run takes more than {} cycles", limit), "", 0, 0};
        clock_.advance(now);
    }
    if (auto failed = failure()) return std::move(*failed);
    if (!host_->is_done()) {
        if (log_.has_listener()) log_.flush(now);
        return deadlock(now);
    }
    if (log_.has_listener()) log_.flush(never);
    return observation();
}

} // namespace

Result<models::Observation> run_once(const KernelCode& code, const RunOptions& options,
                                     const Listener& listener, const TickOrder& order) {
    if (code.recorded != nullptr && !options.path.empty())
        return Failure{"a recorded launch has its own paths; expected no path in the options", "",
                       0, 0};
    if (const auto checked = code.paths.check(options.path); !checked) return checked.as_failure();
    const RunPlan plan = plan_of(code);
    MachineRun run{plan, options, listener, order};
    const auto observed = run.run();
    if (!observed) return observed.as_failure();
    return models::Observation{.seed = options.seed,
                               .execution_time = models::Cycles{observed.value().makespan},
                               .warps = std::move(run.finished())};
}

Result<WorkloadObservation> run_workload(const RunPlan& plan, const RunOptions& options,
                                         const Listener& listener, const TickOrder& order) {
    if (!options.path.empty())
        return Failure{
            "the kernels of a workload choose their own paths; expected no path in the options", "",
            0, 0};
    return MachineRun{plan, options, listener, order}.run();
}

} // namespace warpbound::harness::simulator

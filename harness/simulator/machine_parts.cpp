#include "harness/simulator/machine_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

std::size_t warps_of(const RunPlan& plan) {
    std::int64_t warps = 0;
    for (const Grid& grid : plan.grids)
        warps += grid.code->blocks * grid.code->demand.warps;
    return static_cast<std::size_t>(warps);
}

} // namespace

/// The end of the link at a part that all SMs share.
template <typename Message>
Sink<Message> MachineParts::to_shared(std::size_t number, Link<Message>& link,
                                      std::deque<Link<Message>>& links) {
    if (processes_.empty()) return Sink{link};
    auto& remote = links.emplace_back(clock_.clocked_state());
    processes_[number].ask_over(link, remote);
    return Sink{remote};
}

MachineParts::MachineParts(const RunPlan& plan, const RunOptions& options, const Listener& listener,
                           const TickOrder& order, bool own_clocks)
    : plan_{plan}, machine_{plan.machine}, adversary_{adversary_of(options)}, options_{options},
      log_{listener}, clock_{order}, memory_clock_{order}, finished_(warps_of(plan)) {
    options_.draw = adversary_.values;
    if (own_clocks)
        for (std::size_t number = 0; number < machine_.multiprocessors; ++number)
            processes_.emplace_back(order, log_.has_listener());
    BlockDispatcher::Ports to_dispatcher{Sink{launches_}, {}, {}};
    MemorySystem::Ports to_memory;
    AtomicUnits::Ports to_atomics;
    for (std::size_t number = 0; number < machine_.multiprocessors; ++number) {
        Clock& clock = clock_of(number);
        auto& placement = placements_.emplace_back(clock.clocked_state());
        auto& ended = ends_.emplace_back(clock.clocked_state());
        to_dispatcher.placements.emplace_back(placement);
        MultiProcessor::Ports ports{Sink{placement}, Source{ended}, {}, {}};
        to_dispatcher.ends.push_back(to_shared(number, ended, ends_));
        connect_atomics(number, ports, to_atomics);
        if (machine_.memory) connect_memory(number, ports, to_memory);
        multiprocessors_.emplace_back(number, ports, machine_, options_, adversary_.precedence,
                                      clock, processes_.empty() ? log_ : processes_[number].log(),
                                      finished_);
        if (!processes_.empty()) processes_[number].run_with(multiprocessors_.back());
    }
    clock_.add(host_.emplace(Source{launches_}, plan, options_, log_));
    clock_.add(dispatcher_.emplace(std::move(to_dispatcher), machine_, plan.grids, options_,
                                   adversary_.concentrates_blocks, log_));
    if (machine_.memory)
        (processes_.empty() ? clock_ : memory_clock_)
            .add(memory_.emplace(std::move(to_memory), machine_, options_, log_));
    if (machine_.atomics)
        clock_.add(atomics_.emplace(std::move(to_atomics), machine_, options_, log_));
}

void MachineParts::connect_atomics(std::size_t number, MultiProcessor::Ports& ports,
                                   AtomicUnits::Ports& to_atomics) {
    const std::size_t senders = !machine_.atomics        ? 0
                                : machine_.register_file ? 1
                                                         : machine_.schedulers;
    for (std::size_t sender = 0; sender < senders; ++sender) {
        auto& issue = atomic_issues_.emplace_back(clock_of(number).clocked_state());
        auto& result = atomic_results_.emplace_back(clock_of(number).clocked_state());
        to_atomics.issues.push_back(to_shared(number, issue, atomic_issues_));
        to_atomics.results.emplace_back(result);
        ports.atomics.issues.emplace_back(issue);
        ports.atomics.results.emplace_back(result);
    }
}

void MachineParts::connect_memory(std::size_t number, MultiProcessor::Ports& ports,
                                  MemorySystem::Ports& to_memory) {
    auto& request = memory_requests_.emplace_back(clock_of(number).clocked_state());
    auto& answer = memory_answers_.emplace_back(clock_of(number).clocked_state());
    ports.memory.emplace(MultiProcessor::Ports::Memory{Source{request}, Sink{answer}});
    if (processes_.empty()) {
        to_memory.requests.emplace_back(request);
        to_memory.answers.emplace_back(answer);
        return;
    }
    auto& remote_request = memory_requests_.emplace_back(memory_clock_.clocked_state());
    auto& remote_answer = memory_answers_.emplace_back(memory_clock_.clocked_state());
    processes_[number].request_over(request, remote_request);
    processes_[number].answer_over(answer, remote_answer, memory_clock_);
    to_memory.requests.emplace_back(remote_request);
    to_memory.answers.emplace_back(remote_answer);
}

std::optional<Failure> MachineParts::failure() const {
    for (const MultiProcessor& multiprocessor : multiprocessors_)
        if (auto failed = multiprocessor.failure()) return failed;
    if (dispatcher_->lacks_replacement()) return plan_.no_replacement;
    return std::nullopt;
}

Failure MachineParts::deadlock(std::int64_t now) const {
    std::vector<std::string> waiting;
    for (const MultiProcessor& multiprocessor : multiprocessors_)
        for (std::string& warp : multiprocessor.waiting_warps())
            waiting.push_back(std::move(warp));
    return Failure{
        fmt::format("deadlock at cycle {}: {} wait for each other", now, fmt::join(waiting, ", ")),
        "", 0, 0};
}

bool MachineParts::is_quiet(std::size_t launch) const {
    return std::all_of(multiprocessors_.begin(), multiprocessors_.end(),
                       [&](const auto& sm) { return sm.is_quiet(launch); });
}

void MachineParts::complete_launches(std::int64_t now) {
    std::vector<std::size_t>& ended = dispatcher_->ended();
    const auto complete = std::partition(ended.begin(), ended.end(),
                                         [&](std::size_t launch) { return !is_quiet(launch); });
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

WorkloadObservation MachineParts::observation() const {
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

Result<WorkloadObservation> MachineParts::result(std::int64_t now) {
    if (auto failed = failure()) return std::move(*failed);
    if (!host_->is_done()) {
        if (log_.has_listener()) log_.flush(now);
        return deadlock(now);
    }
    if (log_.has_listener()) log_.flush(never);
    return observation();
}

} // namespace warpbound::harness::simulator

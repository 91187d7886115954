#include "harness/simulator/sm/multiprocessor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

void MultiProcessor::add_fetch(std::size_t number, const MachineShape& machine,
                               const RunOptions& options, Clock& clock, EventLog& log) {
    if (!machine.fetch) return;
    InstructionFetch::Ports links;
    for (std::size_t index = 0; index < machine.schedulers; ++index) {
        links.requests.emplace_back(fetch_requests_.emplace_back(clock.clocked_state()));
        links.answers.emplace_back(fetched_.emplace_back(clock.clocked_state()));
    }
    clock.add(fetch_.emplace(std::move(links), number, machine, options, log));
}

void MultiProcessor::add_instruction_cache(std::size_t number, const MachineShape& machine,
                                           const RunOptions& options, Clock& clock, EventLog& log) {
    if (!machine.instruction_caches) return;
    L1InstructionCache::Ports links;
    for (std::size_t index = 0; index < machine.schedulers; ++index) {
        links.requests.emplace_back(line_requests_.emplace_back(clock.clocked_state()));
        links.answers.emplace_back(line_arrivals_.emplace_back(clock.clocked_state()));
    }
    clock.add(instructions_.emplace(std::move(links), number, machine, options, log));
}

void MultiProcessor::add_memory_queue(std::size_t number, const MachineShape& machine,
                                      const RunOptions& options, Clock& clock, EventLog& log) {
    if (!machine.memory_queue) return;
    MemoryQueues::Ports links;
    for (std::size_t index = 0; index < machine.schedulers; ++index) {
        links.orders.emplace_back(queue_orders_.emplace_back(clock.clocked_state()));
        links.hand_overs.emplace_back(hand_overs_.emplace_back(clock.clocked_state()));
    }
    clock.add(queues_.emplace(std::move(links), number, machine, options, log));
}

void MultiProcessor::add_constants(std::size_t number, const MachineShape& machine,
                                   const RunOptions& options, Clock& clock, EventLog& log) {
    if (!machine.constants) return;
    ConstantCache::Ports links;
    for (std::size_t index = 0; index < machine.schedulers; ++index) {
        links.requests.emplace_back(constant_requests_.emplace_back(clock.clocked_state()));
        links.answers.emplace_back(constant_answers_.emplace_back(clock.clocked_state()));
    }
    clock.add(constants_.emplace(std::move(links), number, machine, options, log));
}

void MultiProcessor::add_collectors(std::size_t number, const Ports& ports,
                                    const MachineShape& machine, const RunOptions& options,
                                    Clock& clock, EventLog& log) {
    if (!machine.register_file) return;
    OperandCollectors::Ports links{{}, {}, Source{latch_freed_.emplace(clock.clocked_state())}};
    if (machine.atomics)
        links.atomics.emplace(OperandCollectors::Ports::Atomics{
            .issues = ports.atomics.issues.front(), .results = ports.atomics.results.front()});
    if (machine.memory)
        links.memory.emplace(OperandCollectors::Ports::Memory{
            .issues = Source{memory_issues_.emplace_back(clock.clocked_state())},
            .results = Sink{memory_results_.emplace_back(clock.clocked_state())},
            .freed = Sink{freed_}});
    for (std::size_t index = 0; index < machine.schedulers; ++index) {
        links.orders.emplace_back(collect_orders_.emplace_back(clock.clocked_state()));
        links.results.emplace_back(results_.emplace_back(clock.clocked_state()));
    }
    for (std::size_t pool = 0; pool < machine.register_file->pools.size(); ++pool)
        latch_free_at_.emplace_back(clock.clocked_state(), 0);
    clock.add(collectors_.emplace(std::move(links), number, machine, options, log));
}

WarpScheduler::Ports MultiProcessor::links_of(std::size_t scheduler, const SharedView& shared) {
    WarpScheduler::Ports links{.requests = Source{requests_[scheduler]},
                               .answers = Sink{answers_[scheduler]},
                               .reports = Source{reports_[scheduler]},
                               .orders = Sink{orders_[scheduler]},
                               .fetches = std::nullopt,
                               .fetched = std::nullopt,
                               .lines = std::nullopt,
                               .line_arrivals = std::nullopt,
                               .collects = std::nullopt,
                               .results = std::nullopt,
                               .constants = std::nullopt,
                               .constant_answers = std::nullopt,
                               .shared = shared};
    if (fetch_) {
        links.fetches.emplace(fetch_requests_[scheduler]);
        links.fetched.emplace(fetched_[scheduler]);
    }
    if (instructions_) {
        links.lines.emplace(line_requests_[scheduler]);
        links.line_arrivals.emplace(line_arrivals_[scheduler]);
    }
    if (queues_)
        links.queue.emplace(
            WarpScheduler::Ports::Queue{.orders = Source{queue_orders_[scheduler]},
                                        .hand_overs = Sink{hand_overs_[scheduler]}});
    if (constants_) {
        links.constants.emplace(constant_requests_[scheduler]);
        links.constant_answers.emplace(constant_answers_[scheduler]);
    }
    if (collectors_) {
        links.collects.emplace(collect_orders_[scheduler]);
        links.results.emplace(results_[scheduler]);
    }
    return links;
}

MultiProcessor::MultiProcessor(std::size_t number, const Ports& links, const MachineShape& machine,
                               const RunOptions& options, Precedence precedence, Clock& clock,
                               EventLog& log, std::vector<models::WarpObservation>& finished)
    : buffer_free_at_{clock.clocked_state(), 0},
      load_queue_free_at_{clock.clocked_state(), 0}, freed_{clock.clocked_state()} {
    for (std::size_t port = 0; port < machine.core_ports; ++port)
        ports_free_at_.emplace_back(clock.clocked_state(), 0);
    add_fetch(number, machine, options, clock, log);
    add_instruction_cache(number, machine, options, clock, log);
    add_memory_queue(number, machine, options, clock, log);
    add_constants(number, machine, options, clock, log);
    add_collectors(number, links, machine, options, clock, log);
    SharedView shared;
    shared.buffer_free_at = &buffer_free_at_;
    shared.load_queue_free_at = &load_queue_free_at_;
    IssueArbiter::Ports to_arbiter;
    to_arbiter.buffer_free_at = &buffer_free_at_;
    to_arbiter.load_queue_free_at = &load_queue_free_at_;
    if (latch_freed_) to_arbiter.latch_freed.emplace(*latch_freed_);
    for (auto& latch : latch_free_at_) {
        shared.latch_free_at.push_back(&latch);
        to_arbiter.latch_free_at.push_back(&latch);
    }
    if (links.memory && !collectors_) to_arbiter.freed.emplace(freed_);
    for (auto& port : ports_free_at_) {
        shared.ports_free_at.push_back(&port);
        to_arbiter.ports_free_at.push_back(&port);
    }
    ResidentBlocks::Ports to_blocks{links.placements, links.ends, {}, {}};
    const auto warp_slots = static_cast<std::size_t>(machine.warp_slots);
    for (std::size_t index = 0; index < machine.schedulers; ++index) {
        auto& request = requests_.emplace_back(clock.clocked_state());
        auto& answer = answers_.emplace_back(clock.clocked_state());
        auto& report = reports_.emplace_back(clock.clocked_state());
        auto& order = orders_.emplace_back(clock.clocked_state());
        to_arbiter.requests.emplace_back(request);
        to_arbiter.answers.emplace_back(answer);
        to_blocks.reports.emplace_back(report);
        to_blocks.orders.emplace_back(order);
        std::optional<WarpScheduler::Ports::Memory> to_memory;
        if (links.memory && !collectors_) {
            auto& issue = memory_issues_.emplace_back(clock.clocked_state());
            auto& result = memory_results_.emplace_back(clock.clocked_state());
            auto& notice = notices_.emplace_back(clock.clocked_state());
            to_arbiter.notices.emplace_back(notice);
            to_memory.emplace(WarpScheduler::Ports::Memory{
                .issues = Source{issue}, .results = Sink{result}, .notices = Sink{notice}});
        }
        const WarpScheduler::Config config{.multiprocessor = number,
                                           .index = index,
                                           .warps = (warp_slots + machine.schedulers - 1 - index) /
                                                    machine.schedulers};
        WarpScheduler::Ports to_scheduler = links_of(index, shared);
        to_scheduler.memory = to_memory;
        if (machine.atomics && !collectors_)
            to_scheduler.atomics.emplace(WarpScheduler::Ports::Atomics{
                .issues = links.atomics.issues[index], .results = links.atomics.results[index]});
        schedulers_.emplace_back(config, std::move(to_scheduler), machine, options, log, finished);
        clock.add(schedulers_.back());
    }
    clock.add(arbiter_.emplace(std::move(to_arbiter), number, machine, options, precedence, log));
    clock.add(blocks_.emplace(std::move(to_blocks), number, options));
    if (links.memory)
        clock.add(memory_.emplace(
            number,
            LoadStoreUnit::Ports{.issues = {memory_issues_.begin(), memory_issues_.end()},
                                 .results = {memory_results_.begin(), memory_results_.end()},
                                 .freed = Source{freed_},
                                 .requests = links.memory->requests,
                                 .answers = links.memory->answers},
            machine, options, log));
}

std::optional<Failure> MultiProcessor::failure() const {
    for (const WarpScheduler& scheduler : schedulers_)
        if (scheduler.failure()) return scheduler.failure();
    return std::nullopt;
}

bool MultiProcessor::is_quiet(std::size_t launch) const {
    return (!memory_ || memory_->is_quiet(launch)) &&
           std::all_of(schedulers_.begin(), schedulers_.end(),
                       [&](const auto& scheduler) { return scheduler.knows_results(launch); });
}

std::int64_t MultiProcessor::late_completion(std::size_t launch) const {
    std::int64_t latest = memory_ ? memory_->completion(launch) : 0;
    for (const WarpScheduler& scheduler : schedulers_)
        latest = std::max(latest, scheduler.late_completion(launch));
    return latest;
}

std::vector<std::string> MultiProcessor::waiting_warps() const {
    std::vector<std::pair<int, std::string>> found;
    for (const WarpScheduler& scheduler : schedulers_)
        for (const Warp& warp : scheduler.warps())
            if (warp.is_live() && warp.waits_at())
                found.emplace_back(warp.number(),
                                   fmt::format("warp {} of block {} at barrier {}",
                                               warp.observation().warp, warp.observation().block,
                                               *warp.waits_at()));
    std::sort(found.begin(), found.end());
    std::vector<std::string> warps;
    warps.reserve(found.size());
    for (auto& [number, text] : found)
        warps.push_back(std::move(text));
    return warps;
}

} // namespace warpbound::harness::simulator

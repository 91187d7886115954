#include "harness/simulator/sm/warp_scheduler.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

WarpScheduler::WarpScheduler(const Config& config, Ports links, const MachineShape& machine,
                             const RunOptions& options, EventLog& log,
                             std::vector<models::WarpObservation>& finished)
    : config_{config}, links_{std::move(links)}, machine_{&machine}, log_{&log},
      finished_{&finished}, random_{options.draw,
                                    RandomStream{options.seed, StreamOf::Scheduler,
                                                 config.multiprocessor * machine.schedulers +
                                                     config.index}},
      warps_(config.warps, Warp{machine, options, log}), block_slots_(config.warps, 0),
      launches_(config.warps, 0), ports_(machine.partition_ports),
      arbitration_{make_arbitration(machine.policy, warps_, machine.issue_slot.hi, random_)} {
    if (machine.read_ports) read_ports_.emplace(*machine.read_ports, machine.partition_ports);
    if (machine.memory_queue) {
        queue_places_.emplace(machine.memory_queue->places);
        links_.queue->hand_overs.read_by(*this);
    }
    links_.answers.read_by(*this);
    links_.orders.read_by(*this);
    if (links_.fetched) links_.fetched->read_by(*this);
    if (links_.line_arrivals) links_.line_arrivals->read_by(*this);
    if (machine.instruction_caches) {
        const std::size_t unit = config.multiprocessor * machine.schedulers + config.index;
        l0_.emplace(
            *machine.instruction_caches, static_cast<int>(unit),
            RandomSource{options.draw, RandomStream{options.seed, StreamOf::InstructionL0, unit}},
            log);
    }
    if (machine.operand_caches) {
        const std::size_t unit = config.multiprocessor * machine.schedulers + config.index;
        operands_.emplace(
            *machine.operand_caches, static_cast<int>(unit),
            RandomSource{options.draw, RandomStream{options.seed, StreamOf::OperandCache, unit}},
            log);
    }
    if (links_.results) links_.results->read_by(*this);
    if (links_.constant_answers) links_.constant_answers->read_by(*this);
    if (links_.atomics) links_.atomics->results.read_by(*this);
    if (!links_.memory) return;
    links_.memory->results.read_by(*this);
    links_.memory->notices.read_by(*this);
}

std::int64_t WarpScheduler::port_at(const Warp& warp) const {
    const PortName& port = warp.operation().port;
    if (warp.executes() && warp.operation().queues) return queue_places_->free_at();
    // With operand collectors the unit is entered after the issue (C49).
    if (!warp.executes() || port.scope == models::UnitScope::Warp || links_.collects) return 0;
    return port.scope == models::UnitScope::Partition
               ? ports_[port.index].free_at
               : links_.shared.ports_free_at[port.index]->visible();
}

std::int64_t WarpScheduler::buffer_at(const Warp& warp) const {
    const Operation& operation = warp.operation();
    if (!warp.executes() || !operation.needs_entry_at_issue || !operation.enters_write_buffer)
        return 0;
    return links_.shared.buffer_free_at->visible();
}

std::int64_t WarpScheduler::loads_at(const Warp& warp) const {
    const Operation& operation = warp.operation();
    if (!warp.executes() || !operation.needs_entry_at_issue || !operation.result_is_notified)
        return 0;
    return links_.shared.load_queue_free_at->visible();
}

std::int64_t WarpScheduler::earliest(const Warp& warp) const {
    if (warp.ready_at() == never) return never;
    if (warp.is_on_wrong_path()) return warp.ready_at();
    const std::int64_t at = std::max({warp.ready_at(), port_at(warp), collector_at(warp)});
    return warp.operation().needs_entry_at_issue ? std::max({at, buffer_at(warp), loads_at(warp)})
                                                 : at;
}

std::size_t WarpScheduler::pool_of(const Operation& operation) const {
    return operation.collection.pool +
           (operation.collection.pool_per_scheduler ? config_.index : 0);
}

std::int64_t WarpScheduler::collector_at(const Warp& warp) const {
    if (read_ports_) return read_ports_->issue_from();
    if (!links_.collects || !warp.executes()) return 0;
    return links_.shared.latch_free_at[pool_of(warp.operation())]->visible();
}

void WarpScheduler::fetch_for(std::size_t warp, std::int64_t now) {
    if (!links_.fetches) return;
    auto request = warps_[warp].take_fetch();
    if (!request) return;
    request->warp_slot = warp_slot_on_sm(warp);
    request->from = now + 1;
    links_.fetches->put(*request);
}

void WarpScheduler::look_up_line(std::size_t warp, std::int64_t now) {
    const auto line = warps_[warp].take_line();
    if (!line) return;
    const auto answer =
        l0_->look_up({.line = *line, .warp_slot = warp, .warp = warps_[warp].number()}, now);
    if (answer.at != never) warps_[warp].receive_line(answer.at);
    if (answer.request) links_.lines->put(*answer.request);
}

void WarpScheduler::look_up_first_lines(std::int64_t now) {
    for (const FirstLine& first : first_lines_)
        if (first.at <= now) look_up_line(first.warp, now);
    std::erase_if(first_lines_, [now](const FirstLine& first) { return first.at <= now; });
}

bool WarpScheduler::receive_from_pipeline(std::int64_t now) {
    bool received = false;
    if (links_.line_arrivals)
        for (const LineArrivals& arrivals : links_.line_arrivals->messages())
            for (const auto& arrival : l0_->receive(arrivals)) {
                warps_[arrival.warp_slot].receive_line(arrival.at);
                received = true;
            }
    if (links_.fetched)
        for (const Fetched& fetched : links_.fetched->messages()) {
            warps_[fetched.warp_slot].fill_buffer(fetched.count, now + 1);
            received = true;
        }
    if (links_.constant_answers)
        for (const ConstantAnswer& answer : links_.constant_answers->messages()) {
            warps_[answer.warp_slot].receive_constants(answer.at);
            received = true;
        }
    if (links_.results)
        for (const ResultNotice& notice : links_.results->messages()) {
            PendingResults& of_launch = pending_results_of(notice.launch);
            if (notice.at) --of_launch.expected;
            if (!warps_[notice.warp_slot].complete(notice.warp, notice.number, notice.at,
                                                   notice.sources_read))
                of_launch.late = std::max(
                    {of_launch.late, notice.at.value_or(0), notice.sources_read.value_or(0)});
            received = true;
        }
    return received;
}

WarpScheduler::PendingResults& WarpScheduler::pending_results_of(std::size_t launch) {
    if (launch >= pending_results_.size()) pending_results_.resize(launch + 1);
    return pending_results_[launch];
}

void WarpScheduler::start(std::size_t block_slot, const Placement& block) {
    for (std::size_t in_block = 0; in_block < block.warp_slots.size(); ++in_block) {
        const std::size_t index = block.warp_slots[in_block];
        if (index % machine_->schedulers != config_.index) continue;
        const std::size_t warp_slot = index / machine_->schedulers;
        Warp& warp = warps_[warp_slot];
        const auto started = warp.start(block.grid, block.block, in_block, block.at);
        if (!started && !failure_) failure_ = started.error();
        block_slots_[warp_slot] = block_slot;
        launches_[warp_slot] = block.launch;
        if (log_->has_listener())
            log_->add(WarpStarted{.cycle = block.at,
                                  .warp = warp.number(),
                                  .multiprocessor = static_cast<int>(config_.multiprocessor),
                                  .scheduler = static_cast<int>(config_.index),
                                  .warp_slot = static_cast<int>(warp_slot),
                                  .placed = block.placed});
        arbitration_->started(warp_slot, block.at);
        fetch_for(warp_slot, block.at);
        if (l0_) first_lines_.push_back({.warp = warp_slot, .at = block.at});
    }
}

void WarpScheduler::apply(const BlockOrder& order) {
    if (order.kind == BlockOrder::Kind::Start) return start(order.block_slot, order.placement);
    for (const std::uint32_t warp_slot : order.released)
        if (warp_slot % machine_->schedulers == config_.index)
            warps_[warp_slot / machine_->schedulers].release(order.at);
}

MemoryIssue WarpScheduler::memory_issue(std::size_t warp_slot) {
    Warp& warp = warps_[warp_slot];
    const Operation& operation = warp.operation();
    MemoryIssue issue{.store = operation.enters_write_buffer,
                      .tag = warp_slot,
                      .launch = launches_[warp_slot],
                      .warp = warp.number(),
                      .number = warp.next_number(),
                      .access = nullptr,
                      .execution = {},
                      .active = warp.active_lanes(),
                      .recorded = nullptr,
                      .passes = warp.passes(),
                      .most_sectors = warp.most_sectors(),
                      .pass_cost = operation.result_is_notified ? warp.draw_pass_cost() : 0};
    if (operation.through_caches || (operation.is_atomic && operation.access)) {
        issue.access = &warp.access();
        issue.execution = warp.execution();
        issue.recorded = warp.recorded_addresses();
    }
    return issue;
}

std::int64_t WarpScheduler::take_stages(const Warp& warp, std::int64_t now) {
    if (!read_ports_) return 0;
    const Operation& operation = warp.operation();
    if (!operation.has_fixed_latency) {
        read_ports_->issue_to_queue();
        return 0;
    }
    ReadPorts::Reader reader = warp.reader();
    if (warp.executes() && operation.port.scope == models::UnitScope::Partition)
        reader.unit = operation.port.index;
    const std::int64_t granted = read_ports_->issue(now, reader);
    if (log_->has_listener())
        log_->add(ReadsGranted{.cycle = granted,
                               .warp = warp.number(),
                               .instruction = warp.instruction(),
                               .number = warp.next_number(),
                               .reads = reader.choice.reads,
                               .banks = read_ports_->reads()});
    return granted - now - 2;
}

void WarpScheduler::issue(std::size_t warp, std::int64_t now, const StallEnds& stalls,
                          bool paired) {
    Warp& chosen = warps_[warp];
    const Operation& operation = chosen.operation();
    const bool collects = links_.collects && chosen.executes();
    const bool queues = chosen.executes() && operation.queues;
    if (!links_.collects && chosen.executes() &&
        operation.port.scope == models::UnitScope::Partition)
        ports_[operation.port.index].occupy(now, chosen.occupancy());
    if (!paired) {
        next_choice_ = now + random_.draw(machine_->issue_slot);
        arbitration_->chosen(warp);
    }
    const bool arrives = chosen.executes() && operation.barrier;
    std::optional<MemoryIssue> to_memory;
    if (machine_->memory && chosen.executes() &&
        (operation.enters_write_buffer || operation.result_is_notified))
        to_memory = memory_issue(warp);
    if (to_memory && links_.memory) links_.memory->issues.put(*to_memory);
    std::optional<AtomicIssue> to_atomics;
    if (chosen.executes() && operation.is_atomic)
        to_atomics = AtomicIssue{.access = memory_issue(warp),
                                 .instruction = chosen.instruction(),
                                 .delay = 0,
                                 .slice_time = operation.slice_time};
    chosen.issue(now, stalls, take_stages(chosen, now));
    if (queues) {
        put_into_queue(warp, now, to_atomics);
    } else if (to_atomics && links_.atomics) {
        to_atomics->delay = chosen.result_delay();
        links_.atomics->issues.put(*to_atomics);
    }
    if (collects) {
        CollectOrder order = *chosen.order();
        order.atomic = to_atomics;
        order.goes_to_memory = to_memory.has_value();
        if (to_memory) order.memory = *to_memory;
        order.pool = pool_of(operation);
        order.warp_slot = warp_slot_on_sm(warp);
        order.launch = launches_[warp];
        ++pending_results_of(order.launch).expected;
        links_.collects->put(order);
    }
    fetch_for(warp, now);
    look_up_line(warp, now);
    paired_.reset();
    if (arrives)
        links_.reports.put(
            WarpReport{.block_slot = block_slots_[warp],
                       .warp_slot = static_cast<std::uint32_t>(warp_slot_on_sm(warp)),
                       .barrier = operation.barrier,
                       .waits = operation.waits_at_barrier,
                       .barrier_warps = operation.barrier_warps});
    if (!chosen.is_live()) {
        auto& finished = (*finished_)[static_cast<std::size_t>(chosen.number())];
        finished = chosen.observation();
        finished.multiprocessor = static_cast<std::int64_t>(config_.multiprocessor);
        links_.reports.put(WarpReport{.block_slot = block_slots_[warp],
                                      .barrier = std::nullopt,
                                      .completes = chosen.completion()});
    } else if (!chosen.waits_at() && chosen.is_paired(now)) {
        paired_ = warp;
    }
}

void WarpScheduler::put_into_queue(std::size_t warp, std::int64_t now,
                                   std::optional<AtomicIssue> atomic) {
    const CollectOrder& issued = *warps_[warp].order();
    QueueOrder order{.warp_slot = warp,
                     .launch = launches_[warp],
                     .warp = issued.warp,
                     .instruction = issued.instruction,
                     .number = issued.number,
                     .issued = now,
                     .entry = warps_[warp].entry(),
                     .interval = warps_[warp].hand_over_interval(),
                     .occupancy = issued.occupancy,
                     .delay = issued.delay,
                     .source_read = issued.source_read,
                     .atomic = std::move(atomic)};
    ++pending_results_of(order.launch).expected;
    queue_places_->take();
    links_.queue->orders.put(order);
}

bool WarpScheduler::receive_from_queue() {
    for (const HandOver& hand_over : links_.queue->hand_overs.messages()) {
        queue_places_->leave(hand_over.at);
        const ResultNotice& notice = hand_over.notice;
        PendingResults& of_launch = pending_results_of(notice.launch);
        if (hand_over.atomic)
            atomics_.push_back(hand_over);
        else
            --of_launch.expected;
        if (!notice.at && !notice.sources_read) continue;
        if (!warps_[notice.warp_slot].complete(notice.warp, notice.number, notice.at,
                                               notice.sources_read))
            of_launch.late =
                std::max({of_launch.late, notice.at.value_or(0), notice.sources_read.value_or(0)});
    }
    return !links_.queue->hand_overs.messages().empty();
}

void WarpScheduler::send_atomics(std::int64_t now) {
    while (!atomics_.empty() && atomics_.front().at <= now) {
        --pending_results_of(atomics_.front().notice.launch).expected;
        links_.atomics->issues.put(*atomics_.front().atomic);
        atomics_.pop_front();
    }
}

bool WarpScheduler::try_issue(std::size_t warp, std::int64_t now, bool paired) {
    const Warp& chosen = warps_[warp];
    const StallEnds stalls = log_->has_listener()
                                 ? chosen.stalls(port_at(chosen), collector_at(chosen),
                                                 buffer_at(chosen), loads_at(chosen))
                                 : StallEnds{};
    const Operation& operation = chosen.operation();
    const bool collects = links_.collects.has_value();
    const bool core_port =
        !collects && !operation.queues && operation.port.scope == models::UnitScope::Core;
    if (!chosen.executes() || (!core_port && !collects && !operation.needs_entry_at_issue)) {
        issue(warp, now, stalls, paired);
        return true;
    }
    IssueRequest request{.port = std::nullopt,
                         .occupancy = chosen.occupancy(),
                         .store = operation.needs_entry_at_issue && operation.enters_write_buffer,
                         .passes = chosen.passes(),
                         .most_sectors = chosen.most_sectors(),
                         .pool = std::nullopt,
                         .load = operation.needs_entry_at_issue && operation.result_is_notified,
                         .warp = chosen.number(),
                         .issued = chosen.issued()};
    if (core_port) request.port = operation.port.index;
    if (collects) request.pool = pool_of(operation);
    links_.requests.put(request);
    pending_request_ = PendingRequest{.warp = warp, .stalls = stalls, .paired = paired};
    return false;
}

bool WarpScheduler::awaits_constants(std::int64_t now) {
    if (!links_.constants) return false;
    bool awaits = false;
    for (std::size_t warp_slot = 0; warp_slot < warps_.size(); ++warp_slot) {
        Warp& warp = warps_[warp_slot];
        if (auto request = warp.take_constants()) {
            request->warp_slot = warp_slot_on_sm(warp_slot);
            links_.constants->put(*request);
        }
        awaits = awaits || warp.look_up_at() <= now;
    }
    return awaits;
}

bool WarpScheduler::finds_operands(std::size_t warp, std::int64_t now) {
    Warp& chosen = warps_[warp];
    if (!chosen.looks_up_operands()) return true;
    const auto answer = operands_->look_up(chosen.constant_lines(), chosen.number(), now);
    if (answer.at == now) {
        chosen.receive_operands(std::nullopt);
        return true;
    }
    chosen.receive_operands(answer.at);
    next_choice_ = std::max(next_choice_, answer.held_until);
    return false;
}

void WarpScheduler::choose(std::int64_t now) {
    wake_ = never;
    if (machine_->counter_delay)
        for (Warp& warp : warps_)
            warp.see_increments(now);
    for (;;) {
        if (awaits_constants(now)) return;
        if (paired_) {
            const std::size_t warp = *paired_;
            if (!warps_[warp].is_on_wrong_path() && earliest(warps_[warp]) <= now &&
                finds_operands(warp, now)) {
                if (!try_issue(warp, now, true)) return;
            } else {
                paired_.reset();
            }
            continue;
        }
        std::int64_t soonest = never;
        std::optional<std::size_t> chosen;
        for (const std::size_t warp : arbitration_->candidates(now)) {
            std::int64_t at = earliest(warps_[warp]);
            if (at == never) continue;
            at = arbitration_->allowed_from(warp, std::max({at, next_choice_, now}));
            if (at <= now && warps_[warp].is_on_wrong_path()) {
                // The search reaches it, discards its buffer and continues (C46).
                warps_[warp].flush_buffer();
                fetch_for(warp, now);
                continue;
            }
            if (at <= now) {
                chosen = warp;
                break;
            }
            soonest = std::min(soonest, at);
        }
        if (!chosen) {
            wake_ = std::min(soonest, arbitration_->wake());
            return;
        }
        if (finds_operands(*chosen, now) && !try_issue(*chosen, now, false)) return;
    }
}

bool WarpScheduler::receive_from_memory() {
    // The load/store unit accounts for results of ended warps.
    for (const ResultNotified& result : links_.memory->results.messages())
        static_cast<void>(warps_[result.tag].complete(result.warp, result.number, result.at));
    return !links_.memory->results.messages().empty() || !links_.memory->notices.messages().empty();
}

bool WarpScheduler::receive_from_atomics() {
    // The atomic units account for results of ended warps.
    for (const ResultNotified& result : links_.atomics->results.messages())
        static_cast<void>(warps_[result.tag].complete(result.warp, result.number, result.at));
    return !links_.atomics->results.messages().empty();
}

void WarpScheduler::tick(std::int64_t now) {
    bool changed = now >= wake_;
    for (const BlockOrder& order : links_.orders.messages()) {
        apply(order);
        changed = true;
    }
    if (receive_from_pipeline(now)) changed = true;
    look_up_first_lines(now);
    for (const IssueAnswer& answer : links_.answers.messages()) {
        const PendingRequest request = *pending_request_;
        pending_request_.reset();
        changed = true;
        if (!answer.granted) continue;
        warps_[request.warp].completes_after(answer.drains);
        issue(request.warp, now, request.stalls, request.paired);
    }
    if (links_.memory && receive_from_memory()) changed = true;
    if (links_.atomics && receive_from_atomics()) changed = true;
    if (links_.queue && receive_from_queue()) changed = true;
    send_atomics(now);
    // While a request is pending the search waits; the answer arrives in this cycle.
    if (changed && !pending_request_)
        choose(now);
    else if (pending_request_)
        wake_ = never;
    for (const FirstLine& first : first_lines_)
        wake_ = std::min(wake_, first.at);
    if (!atomics_.empty()) wake_ = std::min(wake_, atomics_.front().at);
}

} // namespace warpbound::harness::simulator

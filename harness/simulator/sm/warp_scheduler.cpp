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
      warps_(config.warps, Warp{machine, options, log}), times_{config.warps},
      block_slots_(config.warps, 0), launches_(config.warps, 0),
      ports_(machine.partition_ports), arbitration_{make_arbitration(machine.policy, warps_,
                                                                     machine.issue_slot.hi, random_,
                                                                     options.turns)} {
    if (machine.read_ports) read_ports_.emplace(*machine.read_ports, machine.partition_ports);
    if (machine.read_ports && machine.read_ports->has_write_ports)
        write_ports_.emplace(machine.read_ports->banks);
    if (machine.read_ports && machine.read_ports->has_variable_latency_reads)
        queued_reads_.emplace(machine.read_ports->banks);
    if (machine.memory_queue) {
        queue_places_.emplace(machine.memory_queue->places);
        queue_free_at_ = queue_places_->free_at();
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

IssueTimes::Gate WarpScheduler::port_of(const Warp& warp) const {
    const PortName& port = warp.operation().port;
    if (warp.executes() && warp.operation().queues) return &queue_free_at_;
    // With operand collectors the unit is entered after the issue (C49).
    if (!warp.executes() || port.scope == models::UnitScope::Warp || links_.collects)
        return nullptr;
    return port.scope == models::UnitScope::Partition
               ? &ports_[port.index].free_at
               : &links_.shared.ports_free_at[port.index]->visible();
}

IssueTimes::Gate WarpScheduler::buffer_entry_of(const Warp& warp) const {
    const Operation& operation = warp.operation();
    if (!warp.executes() || !operation.needs_entry_at_issue || !operation.enters_write_buffer)
        return nullptr;
    return &links_.shared.buffer_free_at->visible();
}

IssueTimes::Gate WarpScheduler::load_entry_of(const Warp& warp) const {
    const Operation& operation = warp.operation();
    if (!warp.executes() || !operation.needs_entry_at_issue || !operation.result_is_notified)
        return nullptr;
    return &links_.shared.load_queue_free_at->visible();
}

std::size_t WarpScheduler::pool_of(const Operation& operation) const {
    return operation.collection.pool +
           (operation.collection.pool_per_scheduler ? config_.index : 0);
}

IssueTimes::Gate WarpScheduler::collector_of(const Warp& warp) const {
    if (read_ports_) return &read_ports_->issue_from();
    if (!links_.collects || !warp.executes()) return nullptr;
    return &links_.shared.latch_free_at[pool_of(warp.operation())]->visible();
}

void WarpScheduler::keep_time(std::size_t warp_slot) {
    const Warp& warp = warps_[warp_slot];
    times_.set_ready_at(warp_slot, warp.ready_at());
    if (warp.is_on_wrong_path()) // Those instructions are discarded, which needs nothing.
        times_.set_gates(warp_slot, {});
    else if (warp.ready_at() != never)
        times_.set_gates(warp_slot, {port_of(warp), collector_of(warp), buffer_entry_of(warp),
                                     load_entry_of(warp)});
    if (warp.has_unseen_increments() &&
        std::find(unseen_.begin(), unseen_.end(), warp_slot) == unseen_.end())
        unseen_.push_back(warp_slot);
    if (!links_.constants || !warp.waits_for_constants()) return;
    const auto place = std::lower_bound(constants_.begin(), constants_.end(), warp_slot);
    if (place == constants_.end() || *place != warp_slot) constants_.insert(place, warp_slot);
}

StallEnds WarpScheduler::stalls_of(const Warp& warp) const {
    const auto free_at = [](IssueTimes::Gate gate) { return gate == nullptr ? 0 : *gate; };
    return warp.stalls(free_at(port_of(warp)), free_at(collector_of(warp)),
                       free_at(buffer_entry_of(warp)), free_at(load_entry_of(warp)));
}

void WarpScheduler::see_increments(std::int64_t now) {
    std::erase_if(unseen_, [&](std::size_t warp) {
        warps_[warp].see_increments(now);
        if (warps_[warp].has_unseen_increments()) return false;
        keep_time(warp);
        return true;
    });
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
    if (!l0_) return;
    const auto line = warps_[warp].take_line();
    if (!line) return;
    const auto answer =
        l0_->look_up({.line = *line, .warp_slot = warp, .warp = warps_[warp].number()}, now);
    if (answer.at != never) {
        warps_[warp].receive_line(answer.at);
        keep_time(warp);
    }
    if (answer.request) links_.lines->put(*answer.request);
}

void WarpScheduler::look_up_first_lines(std::int64_t now) {
    for (const FirstLine& first : first_lines_)
        if (first.at <= now) look_up_line(first.warp, now);
    std::erase_if(first_lines_, [now](const FirstLine& first) { return first.at <= now; });
}

void WarpScheduler::start(std::size_t block_slot, const Placement& block) {
    for (std::size_t in_block = 0; in_block < block.warp_slots.size(); ++in_block) {
        const std::size_t index = block.warp_slots[in_block];
        if (index % machine_->schedulers != config_.index) continue;
        const std::size_t warp_slot = index / machine_->schedulers;
        Warp& warp = warps_[warp_slot];
        const auto started = warp.start(block.grid, block.block, in_block, block.at);
        if (!started && !failure_) failure_ = started.error();
        keep_time(warp_slot);
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
        if (warp_slot % machine_->schedulers == config_.index) {
            warps_[warp_slot / machine_->schedulers].release(order.at);
            keep_time(warp_slot / machine_->schedulers);
        }
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
    if (queued_reads_)
        for (std::size_t bank = 0; bank < read_ports_->reads().size(); ++bank)
            queued_reads_->take(bank, read_ports_->free_at(bank), read_ports_->reads()[bank]);
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
    const bool executes = chosen.executes();
    if (!links_.collects && executes && operation.port.scope == models::UnitScope::Partition)
        ports_[operation.port.index].occupy(now, chosen.occupancy());
    if (!paired) {
        next_choice_ = now + random_.draw(machine_->issue_slot);
        arbitration_->chosen(warp);
    }
    const bool sends = executes && (operation.enters_write_buffer || operation.result_is_notified ||
                                    operation.is_atomic);
    if (sends) prepare_messages(warp);
    const std::int64_t lag = take_stages(chosen, now);
    const std::int64_t number = chosen.next_number();
    const std::size_t instruction = chosen.instruction();
    chosen.issue(now, stalls, lag);
    if (write_ports_ && executes) take_write_ports(warp, operation, number, now, lag);
    if (executes && operation.queued_reads.count > 0) await_read(warp, instruction, number, now);
    if (executes && operation.queues) {
        put_into_queue(warp, now);
    } else if (sends && to_atomics_ && links_.atomics) {
        to_atomics_->delay = chosen.result_delay();
        links_.atomics->issues.put(*to_atomics_);
    }
    if (executes && links_.collects) send_to_collectors(warp);
    if (sends) {
        to_memory_.reset();
        to_atomics_.reset();
    }
    keep_time(warp);
    fetch_for(warp, now);
    look_up_line(warp, now);
    report(warp, operation, executes && operation.barrier, now);
}

void WarpScheduler::take_write_ports(std::size_t warp, const Operation& operation,
                                     std::int64_t number, std::int64_t now, std::int64_t lag) {
    const RegisterSpan& span = operation.bank_writes;
    if (span.count == 0) return;
    const Warp& issued = warps_[warp];
    const WritePorts::Writes writes{issued.code().bank_writes.data() + span.first, span.count};
    const std::int64_t due = now + lag + issued.result_delay();
    if (!operation.waits_for_write) return write_ports_->write(now, writes, due);
    ++pending_results_of(launches_[warp]).expected;
    const bool is_notified = operation.result_is_notified || operation.is_atomic ||
                             operation.queues || operation.queued_reads.count > 0;
    write_ports_->await({.warp_slot = warp,
                         .launch = launches_[warp],
                         .warp = issued.number(),
                         .number = number,
                         .writes = writes,
                         .at = is_notified ? never : due});
}

void WarpScheduler::await_read(std::size_t warp, std::size_t instruction, std::int64_t number,
                               std::int64_t now) {
    const Warp& issued = warps_[warp];
    const Operation& operation = issued.code().operations[instruction];
    const RegisterSpan& span = operation.queued_reads;
    const std::int64_t sources = now + issued.source_delay();
    QueuedReads::Reader reader{.warp_slot = warp,
                               .launch = launches_[warp],
                               .warp = issued.number(),
                               .instruction = instruction,
                               .number = number,
                               .first = issued.code().queued_reads.data() + span.first,
                               .count = span.count,
                               .result = std::nullopt,
                               .sources = std::nullopt,
                               .at = sources};
    if (operation.read_barrier) reader.sources = sources;
    if (operation.has_result) {
        reader.result = now + issued.result_delay();
        reader.at = std::min(sources, *reader.result);
    }
    ++pending_results_of(reader.launch).expected;
    queued_reads_->await(reader);
}

bool WarpScheduler::read_sources(std::int64_t now) {
    const auto read = queued_reads_->take_read(now);
    for (const QueuedReads::Reader& reader : read) {
        const std::int64_t waited = now - reader.at;
        if (log_->has_listener())
            log_->add(QueuedRead{.cycle = now,
                                 .warp = reader.warp,
                                 .instruction = reader.instruction,
                                 .number = reader.number,
                                 .waited = waited});
        const auto delayed = [&](std::optional<std::int64_t> time) {
            if (time) *time += waited;
            return time;
        };
        const auto result = delayed(reader.result);
        const auto sources = delayed(reader.sources);
        PendingResults& of_launch = pending_results_of(reader.launch);
        --of_launch.expected;
        if (!complete(reader.warp_slot, reader.warp, reader.number, result, sources))
            of_launch.late = std::max({of_launch.late, result.value_or(0), sources.value_or(0)});
    }
    return !read.empty();
}

bool WarpScheduler::write_results(std::int64_t now) {
    const auto written = write_ports_->take_written(now);
    for (const WritePorts::Result& result : written) {
        PendingResults& of_launch = pending_results_of(result.launch);
        --of_launch.expected;
        if (warps_[result.warp_slot].complete(result.warp, result.number, now, std::nullopt,
                                              now - result.at))
            keep_time(result.warp_slot);
        else
            of_launch.late = std::max(of_launch.late, now);
    }
    return !written.empty();
}

void WarpScheduler::report(std::size_t warp, const Operation& operation, bool arrives,
                           std::int64_t now) {
    const Warp& issued = warps_[warp];
    paired_.reset();
    if (arrives)
        links_.reports.put(
            WarpReport{.block_slot = block_slots_[warp],
                       .warp_slot = static_cast<std::uint32_t>(warp_slot_on_sm(warp)),
                       .barrier = operation.barrier,
                       .waits = operation.waits_at_barrier,
                       .barrier_warps = operation.barrier_warps});
    if (!issued.is_live()) {
        auto& finished = (*finished_)[static_cast<std::size_t>(issued.number())];
        finished = issued.observation();
        finished.multiprocessor = static_cast<std::int64_t>(config_.multiprocessor);
        links_.reports.put(WarpReport{.block_slot = block_slots_[warp],
                                      .barrier = std::nullopt,
                                      .completes = issued.completion()});
    } else if (!issued.waits_at() && issued.is_paired(now)) {
        paired_ = warp;
    }
}

bool WarpScheduler::try_issue(std::size_t warp, std::int64_t now, bool paired) {
    const Warp& chosen = warps_[warp];
    const StallEnds stalls = log_->has_listener() ? stalls_of(chosen) : StallEnds{};
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
    bool awaits = false;
    std::erase_if(constants_, [&](std::size_t warp_slot) {
        Warp& warp = warps_[warp_slot];
        if (auto request = warp.take_constants()) {
            request->warp_slot = warp_slot_on_sm(warp_slot);
            links_.constants->put(*request);
        }
        awaits = awaits || warp.look_up_at() <= now;
        return !warp.waits_for_constants();
    });
    return awaits;
}

bool WarpScheduler::finds_operands(std::size_t warp, std::int64_t now) {
    Warp& chosen = warps_[warp];
    if (!chosen.looks_up_operands()) return true;
    const auto answer = operands_->look_up(chosen.constant_lines(), chosen.number(), now);
    if (answer.at == now) {
        chosen.receive_operands(std::nullopt);
        keep_time(warp);
        return true;
    }
    chosen.receive_operands(answer.at);
    keep_time(warp);
    next_choice_ = std::max(next_choice_, answer.held_until);
    return false;
}

std::int64_t WarpScheduler::soonest(std::int64_t from, std::span<const std::size_t> warps) const {
    std::int64_t soonest = never;
    for (const std::size_t warp : warps) {
        if (times_.ready_at(warp) >= soonest) continue;
        const std::int64_t at =
            arbitration_->allowed_from(warp, std::max(times_.earliest(warp), from));
        soonest = std::min(soonest, at);
        if (soonest == from) break; // None may be chosen before.
    }
    return soonest;
}

const std::size_t* WarpScheduler::find_candidate(std::int64_t now) {
    const std::span<const std::size_t> candidates = arbitration_->candidates(now);
    if (next_choice_ > now) { // No search: nobody may be chosen.
        wake_ = std::min(soonest(next_choice_, candidates), arbitration_->wake());
        return nullptr;
    }
    for (const std::size_t& warp : candidates) {
        if (times_.ready_at(warp) > now) continue;
        const std::int64_t at =
            arbitration_->allowed_from(warp, std::max(times_.earliest(warp), now));
        if (at > now) continue;
        if (!warps_[warp].is_on_wrong_path()) return &warp;
        // The search reaches it, discards its buffer and continues (C46).
        warps_[warp].flush_buffer();
        keep_time(warp);
        fetch_for(warp, now);
    }
    // A discarded buffer is filled again by a message.
    wake_ = std::min(soonest(now, candidates), arbitration_->wake());
    return nullptr;
}

void WarpScheduler::choose(std::int64_t now) {
    wake_ = never;
    if (!unseen_.empty()) see_increments(now);
    for (;;) {
        if (!constants_.empty() && awaits_constants(now)) return;
        if (paired_) {
            const std::size_t warp = *paired_;
            if (!warps_[warp].is_on_wrong_path() && times_.earliest(warp) <= now &&
                finds_operands(warp, now)) {
                if (!try_issue(warp, now, true)) return;
            } else {
                paired_.reset();
            }
            continue;
        }
        const std::size_t* const found = find_candidate(now);
        if (found == nullptr) return;
        const std::size_t chosen = *found; // An issue reorders the candidates.
        if (finds_operands(chosen, now) && !try_issue(chosen, now, false)) return;
    }
}

void WarpScheduler::tick(std::int64_t now) {
    bool changed = now >= wake_;
    for (const BlockOrder& order : links_.orders.messages()) {
        apply(order);
        changed = true;
    }
    if (receive_from_pipeline(now)) changed = true;
    if (!first_lines_.empty()) look_up_first_lines(now);
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
    if (queued_reads_ && read_sources(now)) changed = true;
    if (write_ports_ && write_results(now)) changed = true;
    send_handed_over(now);
    // While a request is pending the search waits; the answer arrives in this cycle.
    if (changed && !pending_request_)
        choose(now);
    else if (pending_request_)
        wake_ = never;
    for (const FirstLine& first : first_lines_)
        wake_ = std::min(wake_, first.at);
    if (!handed_over_.empty()) wake_ = std::min(wake_, handed_over_.front().at);
    if (queued_reads_) wake_ = std::min(wake_, queued_reads_->wake(now));
    if (write_ports_) wake_ = std::min(wake_, write_ports_->wake(now));
}

} // namespace warpbound::harness::simulator

#include "harness/simulator/pipeline/operand_collectors.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

OperandCollectors::OperandCollectors(Ports links, std::size_t multiprocessor,
                                     const MachineShape& machine, const RunOptions& options,
                                     EventLog& log)
    : links_{std::move(links)}, write_back_{machine.register_file->write_back},
      schedulers_{machine.schedulers}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Collectors, multiprocessor}},
      banks_{machine.register_file->banks}, slots_{machine.register_file->result_slots} {
    for (const auto& orders : links_.orders)
        orders.read_by(*this);
    for (const CollectorShape& collector : machine.register_file->pools) {
        Pool& pool = pools_.emplace_back();
        pool.shape = collector;
        pool.collectors.resize(collector.collectors);
        pool.next_to_leave.resize(collector.exit_ports);
        pool.units.resize(collector.execution_units);
        for (std::size_t& next : pool.next_to_leave)
            next = static_cast<std::size_t>(
                random_.draw(0, static_cast<std::int64_t>(collector.collectors) - 1));
    }
    if (links_.atomics) links_.atomics->results.read_by(*this);
    if (!links_.memory) return;
    links_.memory->results.read_by(*this);
    links_.memory->freed.read_by(*this);
    loads_.count = machine.memory->l1_queue;
    if (machine.buffer_entries)
        stores_.count = static_cast<std::size_t>(random_.draw(*machine.buffer_entries));
}

void OperandCollectors::admit() {
    std::stable_sort(arriving_.begin(), arriving_.end(), [](const InFlight& a, const InFlight& b) {
        return a.scheduler < b.scheduler;
    });
    for (std::size_t left = arriving_.size(); left > 1; --left)
        std::swap(arriving_[left - 1], arriving_[static_cast<std::size_t>(
                                           random_.draw(0, static_cast<std::int64_t>(left) - 1))]);
    for (InFlight& instruction : arriving_) {
        instruction.rank = issued_++;
        pools_[instruction.order.pool].latch.push_back(instruction);
    }
    arriving_.clear();
}

std::vector<OperandCollectors::InFlight>::iterator OperandCollectors::oldest_of(Pool& pool) {
    return std::min_element(pool.dispatch.begin(), pool.dispatch.end(),
                            [](const InFlight& a, const InFlight& b) { return a.rank < b.rank; });
}

OperandCollectors::QueueEntries* OperandCollectors::queue_of(const CollectOrder& order) {
    if (!order.goes_to_memory) return nullptr;
    return order.memory.store ? &stores_ : &loads_;
}

void OperandCollectors::notify(const InFlight& instruction, ResultNotice notice) {
    const CollectOrder& order = instruction.order;
    notice.warp_slot = order.warp_slot / schedulers_;
    notice.launch = order.launch;
    notice.warp = order.warp;
    notice.number = order.number;
    links_.results[instruction.scheduler].put(notice);
    if (!notice.at) return;
    const RegisterSpan written = order.code->operations[order.instruction].collection.writes;
    for (std::uint32_t reg = 0; reg < written.count; ++reg)
        banks_.write(
            banks_.bank_of(order.code->bank_registers[written.first + reg], order.warp_slot),
            *notice.at);
}

std::size_t OperandCollectors::keep_pending(const InFlight& instruction) {
    if (free_pending_.empty()) {
        free_pending_.push_back(pending_.size());
        pending_.emplace_back();
    }
    const std::size_t index = free_pending_.back();
    free_pending_.pop_back();
    pending_[index] = instruction;
    return index;
}

void OperandCollectors::send_to_memory(const InFlight& instruction) {
    if (instruction.order.goes_to_memory) {
        MemoryIssue issue = instruction.order.memory;
        if (!issue.store) issue.tag = keep_pending(instruction);
        links_.memory->issues.put(issue);
    } else if (instruction.order.atomic) {
        AtomicIssue issue = *instruction.order.atomic;
        issue.delay = instruction.order.delay;
        issue.access.tag = keep_pending(instruction);
        links_.atomics->issues.put(issue);
    }
}

void OperandCollectors::begin(const InFlight& instruction, std::int64_t now) {
    const CollectOrder& order = instruction.order;
    ResultNotice notice;
    // Schedulers may have chosen in this cycle already, so the earliest effect is in the next one.
    if (order.source_read)
        notice.sources_read = now + std::max<std::int64_t>(1, *order.source_read);
    send_to_memory(instruction);
    const bool is_pending = order.atomic || (order.goes_to_memory && !order.memory.store);
    if (!is_pending) notice.at = now + order.delay + write_back_;
    if (notice.at || notice.sources_read) notify(instruction, notice);
    --in_flight_count_;
    if (!log_->has_listener()) return;
    log_->add(UnitEntered{.cycle = now,
                          .warp = order.warp,
                          .instruction = order.instruction,
                          .number = order.number,
                          .until = now + order.occupancy});
}

void OperandCollectors::execute(Pool& pool, std::int64_t now) {
    for (ExecutionUnit& unit : pool.units) {
        if (pool.dispatch.empty()) return;
        if (unit.free_at > now) continue;
        const auto oldest = oldest_of(pool);
        const CollectOrder& order = oldest->order;
        if (QueueEntries* const queue = queue_of(order)) {
            if (queue->occupied == queue->count) return;
            ++queue->occupied;
        }
        if (order.code->operations[order.instruction].collection.reserves_result) {
            const std::int64_t result_at = now + order.delay + write_back_;
            unit.results.erase(std::remove_if(unit.results.begin(), unit.results.end(),
                                              [&](std::int64_t at) { return at <= now; }),
                               unit.results.end());
            if (slots_.is_full(result_at) || std::find(unit.results.begin(), unit.results.end(),
                                                       result_at) != unit.results.end())
                continue;
            slots_.take(result_at);
            unit.results.push_back(result_at);
        }
        unit.free_at = now + order.occupancy;
        begin(*oldest, now);
        pool.dispatch.erase(oldest);
        moved_ = true;
    }
}

void OperandCollectors::leave(Pool& pool, std::int64_t now) {
    for (std::size_t& next : pool.next_to_leave) {
        if (pool.dispatch.size() == pool.shape.dispatch_slots) return;
        for (std::size_t searched = 0; searched < pool.collectors.size(); ++searched) {
            const std::size_t index = (next + searched) % pool.collectors.size();
            auto& collector = pool.collectors[index];
            if (!collector || collector->unread > 0) continue;
            if (log_->has_listener())
                log_->add(Collected{.cycle = now,
                                    .warp = collector->order.warp,
                                    .instruction = collector->order.instruction,
                                    .number = collector->order.number,
                                    .since = collector->since});
            pool.dispatch.push_back(*collector);
            collector.reset();
            next = (index + 1) % pool.collectors.size();
            moved_ = true;
            break;
        }
    }
}

void OperandCollectors::read(std::int64_t now) {
    banks_.serve(now, [&](std::size_t bank, const Reader& reader) {
        InFlight& instruction = *pools_[reader.pool].collectors[reader.collector];
        --instruction.unread;
        moved_ = true;
        if (log_->has_listener())
            log_->add(OperandRead{.cycle = now,
                                  .warp = instruction.order.warp,
                                  .instruction = instruction.order.instruction,
                                  .number = instruction.order.number,
                                  .bank = bank});
    });
}

void OperandCollectors::enter(std::size_t index, std::int64_t now) {
    Pool& pool = pools_[index];
    std::size_t entered = 0;
    while (entered < pool.shape.entry_ports && entered < pool.latch.size()) {
        const auto free = std::find(pool.collectors.begin(), pool.collectors.end(), std::nullopt);
        if (free == pool.collectors.end()) break;
        InFlight instruction = pool.latch[entered++];
        const KernelCode& code = *instruction.order.code;
        const RegisterSpan reads = code.operations[instruction.order.instruction].collection.reads;
        instruction.since = now;
        instruction.unread = reads.count;
        const Reader reader{.pool = index,
                            .collector = static_cast<std::size_t>(free - pool.collectors.begin())};
        for (std::uint32_t reg = 0; reg < reads.count; ++reg)
            banks_.request(
                banks_.bank_of(code.bank_registers[reads.first + reg], instruction.order.warp_slot),
                reader);
        *free = instruction;
    }
    if (entered == 0) return;
    moved_ = true;
    pool.latch.erase(pool.latch.begin(), pool.latch.begin() + static_cast<std::ptrdiff_t>(entered));
    links_.latch_freed.put(LatchFreed{.pool = index, .count = entered});
}

/// The next cycle in which an instruction may advance.
std::int64_t OperandCollectors::next_move(std::int64_t now) {
    if (in_flight_count_ == 0) return never;
    if (moved_ || !arriving_.empty() || banks_.unread() > 0) return now + 1;
    std::int64_t next = never;
    for (Pool& pool : pools_) {
        if (pool.dispatch.empty()) continue;
        // A full queue has no wake time: the load/store unit sends a message when it frees an
        // entry.
        const QueueEntries* const queue = queue_of(oldest_of(pool)->order);
        if (queue != nullptr && queue->occupied == queue->count) continue;
        for (const ExecutionUnit& unit : pool.units)
            next = std::min(next, std::max(unit.free_at, now + 1));
    }
    return next;
}

void OperandCollectors::move(std::int64_t now) {
    moved_ = false;
    slots_.forget(now);
    admit();
    for (Pool& pool : pools_)
        execute(pool, now);
    for (Pool& pool : pools_)
        leave(pool, now);
    read(now);
    for (std::size_t pool = 0; pool < pools_.size(); ++pool)
        enter(pool, now);
}

void OperandCollectors::receive_from_memory() {
    for (const EntriesFreed& freed : links_.memory->freed.messages()) {
        loads_.occupied -= freed.loads;
        stores_.occupied -= freed.stores;
    }
    receive_results(links_.memory->results);
}

void OperandCollectors::receive_results(const Sink<ResultNotified>& results) {
    for (const ResultNotified& result : results.messages()) {
        ResultNotice notice;
        notice.at = result.at + write_back_;
        notify(pending_[result.tag], notice);
        free_pending_.push_back(result.tag);
    }
}

void OperandCollectors::tick(std::int64_t now) {
    if (now > moved_at_ && in_flight_count_ > 0) move(now);
    moved_at_ = now;
    for (std::size_t scheduler = 0; scheduler < links_.orders.size(); ++scheduler)
        for (const CollectOrder& order : links_.orders[scheduler].messages()) {
            arriving_.push_back(InFlight{.order = order, .scheduler = scheduler});
            ++in_flight_count_;
        }
    if (links_.memory) receive_from_memory();
    if (links_.atomics) receive_results(links_.atomics->results);
    wake_ = next_move(now);
}

} // namespace warpbound::harness::simulator

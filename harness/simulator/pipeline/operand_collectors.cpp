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
    if (!links_.memory) return;
    links_.memory->results.read_by(*this);
    links_.memory->freed.read_by(*this);
    loads_.places = machine.memory->l1_queue;
    if (machine.buffer_entries)
        stores_.places = static_cast<std::size_t>(random_.draw(*machine.buffer_entries));
}

void OperandCollectors::admit() {
    std::stable_sort(
        arriving_.begin(), arriving_.end(),
        [](const Traveller& a, const Traveller& b) { return a.scheduler < b.scheduler; });
    for (std::size_t left = arriving_.size(); left > 1; --left)
        std::swap(arriving_[left - 1], arriving_[static_cast<std::size_t>(
                                           random_.draw(0, static_cast<std::int64_t>(left) - 1))]);
    for (Traveller& traveller : arriving_) {
        traveller.rank = issued_++;
        pools_[traveller.order.pool].latch.push_back(traveller);
    }
    arriving_.clear();
}

std::vector<OperandCollectors::Traveller>::iterator OperandCollectors::first_of(Pool& pool) {
    return std::min_element(pool.dispatch.begin(), pool.dispatch.end(),
                            [](const Traveller& a, const Traveller& b) { return a.rank < b.rank; });
}

OperandCollectors::Room* OperandCollectors::room_of(const CollectOrder& order) {
    if (!order.goes_to_memory) return nullptr;
    return order.memory.store ? &stores_ : &loads_;
}

void OperandCollectors::tell(const Traveller& traveller, ResultNotice notice) {
    const CollectOrder& order = traveller.order;
    notice.place = order.place / schedulers_;
    notice.launch = order.launch;
    notice.warp = order.warp;
    notice.number = order.number;
    links_.results[traveller.scheduler].put(notice);
    if (!notice.at) return;
    const RegisterSpan written = order.code->operations[order.instruction].collection.writes;
    for (std::uint32_t place = 0; place < written.count; ++place)
        banks_.write(banks_.bank_of(order.code->bank_registers[written.first + place], order.place),
                     *notice.at);
}

void OperandCollectors::send_to_memory(const Traveller& traveller) {
    MemoryIssue issue = traveller.order.memory;
    if (!issue.store) {
        if (free_told_.empty()) {
            free_told_.push_back(told_.size());
            told_.emplace_back();
        }
        issue.place = free_told_.back();
        free_told_.pop_back();
        told_[issue.place] = traveller;
    }
    links_.memory->issues.put(issue);
}

void OperandCollectors::begin(const Traveller& traveller, std::int64_t now) {
    const CollectOrder& order = traveller.order;
    ResultNotice notice;
    // Schedulers may have chosen in this cycle already.
    if (order.source_read)
        notice.sources_read = now + std::max<std::int64_t>(1, *order.source_read);
    if (order.goes_to_memory) send_to_memory(traveller);
    if (!order.goes_to_memory || order.memory.store) notice.at = now + order.delay + write_back_;
    if (notice.at || notice.sources_read) tell(traveller, notice);
    --travelling_;
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
        const auto oldest = first_of(pool);
        const CollectOrder& order = oldest->order;
        if (Room* const room = room_of(order)) {
            if (room->taken == room->places) return;
            ++room->taken;
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
        for (std::size_t passed = 0; passed < pool.collectors.size(); ++passed) {
            const std::size_t place = (next + passed) % pool.collectors.size();
            auto& collector = pool.collectors[place];
            if (!collector || collector->unread > 0) continue;
            if (log_->has_listener())
                log_->add(Collected{.cycle = now,
                                    .warp = collector->order.warp,
                                    .instruction = collector->order.instruction,
                                    .number = collector->order.number,
                                    .since = collector->since});
            pool.dispatch.push_back(*collector);
            collector.reset();
            next = (place + 1) % pool.collectors.size();
            moved_ = true;
            break;
        }
    }
}

void OperandCollectors::read(std::int64_t now) {
    banks_.serve(now, [&](std::size_t bank, const Reader& reader) {
        Traveller& traveller = *pools_[reader.pool].collectors[reader.collector];
        --traveller.unread;
        moved_ = true;
        if (log_->has_listener())
            log_->add(OperandRead{.cycle = now,
                                  .warp = traveller.order.warp,
                                  .instruction = traveller.order.instruction,
                                  .number = traveller.order.number,
                                  .bank = bank});
    });
}

void OperandCollectors::enter(std::size_t index, std::int64_t now) {
    Pool& pool = pools_[index];
    std::size_t entered = 0;
    while (entered < pool.shape.entry_ports && entered < pool.latch.size()) {
        const auto room = std::find(pool.collectors.begin(), pool.collectors.end(), std::nullopt);
        if (room == pool.collectors.end()) break;
        Traveller traveller = pool.latch[entered++];
        const KernelCode& code = *traveller.order.code;
        const RegisterSpan reads = code.operations[traveller.order.instruction].collection.reads;
        traveller.since = now;
        traveller.unread = reads.count;
        const Reader reader{.pool = index,
                            .collector = static_cast<std::size_t>(room - pool.collectors.begin())};
        for (std::uint32_t place = 0; place < reads.count; ++place)
            banks_.ask(
                banks_.bank_of(code.bank_registers[reads.first + place], traveller.order.place),
                reader);
        *room = traveller;
    }
    if (entered == 0) return;
    moved_ = true;
    pool.latch.erase(pool.latch.begin(), pool.latch.begin() + static_cast<std::ptrdiff_t>(entered));
    links_.left_latch.put(LatchNotice{.pool = index, .count = entered});
}

/// The next cycle in which something may move.
std::int64_t OperandCollectors::next_move(std::int64_t now) {
    if (travelling_ == 0) return never;
    if (moved_ || !arriving_.empty() || banks_.unread() > 0) return now + 1;
    std::int64_t next = never;
    for (Pool& pool : pools_) {
        if (pool.dispatch.empty()) continue;
        // Until a place is left, which is told.
        const Room* const room = room_of(first_of(pool)->order);
        if (room != nullptr && room->taken == room->places) continue;
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

void OperandCollectors::hear_memory() {
    for (const RoomFreed& freed : links_.memory->freed.messages()) {
        loads_.taken -= freed.loads;
        stores_.taken -= freed.stores;
    }
    for (const ResultNotified& told : links_.memory->results.messages()) {
        ResultNotice notice;
        notice.at = told.at + write_back_;
        tell(told_[told.place], notice);
        free_told_.push_back(told.place);
    }
}

void OperandCollectors::tick(std::int64_t now) {
    if (now > moved_at_ && travelling_ > 0) move(now);
    moved_at_ = now;
    for (std::size_t scheduler = 0; scheduler < links_.orders.size(); ++scheduler)
        for (const CollectOrder& order : links_.orders[scheduler].messages()) {
            arriving_.push_back(Traveller{.order = order, .scheduler = scheduler});
            ++travelling_;
        }
    if (links_.memory) hear_memory();
    wake_ = next_move(now);
}

} // namespace warpbound::harness::simulator

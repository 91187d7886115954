#include "harness/simulator/memory/load_store_unit.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpbound::harness::simulator {

LoadStoreUnit::LoadStoreUnit(std::size_t index, Ports links, const MachineShape& machine,
                             const RunOptions& options, EventLog& log)
    : index_{index}, links_{std::move(links)}, machine_{&machine}, shape_{&*machine.memory},
      log_{&log}, random_{options.draw, RandomStream{options.seed, StreamOf::LoadStore, index}},
      cache_{machine.memory->l1}, misses_{machine.memory->l1.mshr_entries,
                                          machine.memory->l1.mshr_merges} {
    for (const auto& issues : links_.issues)
        issues.read_by(*this);
    links_.answers.read_by(*this);
}

template <typename Visit>
void LoadStoreUnit::for_each_sector(std::uint64_t line, std::uint64_t sectors,
                                    const Visit& visit) const {
    const std::uint64_t first = line / shape_->l1.sector;
    for (; sectors != 0; sectors &= sectors - 1)
        visit(first + static_cast<std::uint64_t>(std::countr_zero(sectors)));
}

void LoadStoreUnit::accept(const MemoryIssue& issue, std::size_t sender, std::int64_t now) {
    const auto coalesce_into = [&](std::vector<models::TouchedLine>& lines) {
        lines.clear();
        if (issue.access == nullptr) return;
        models::coalesce(issue.recorded
                             ? *issue.recorded
                             : addresses_of(*issue.access, issue.execution, issue.active),
                         shape_->l1.line, shape_->l1.sector, lines);
    };
    ++accesses_of(issue.launch).unfinished;
    if (issue.store) {
        Store& store = stores_.emplace_back();
        store.issue = issue;
        coalesce_into(store.lines);
        if (stores_.size() == 1) begin_store(now);
        return;
    }
    if (free_loads_.empty()) {
        free_loads_.push_back(static_cast<std::uint32_t>(loads_.size()));
        loads_.emplace_back();
    }
    const std::uint32_t index = free_loads_.back();
    free_loads_.pop_back();
    Load& load = loads_[index];
    load.issue = issue;
    load.sender = sender;
    coalesce_into(load.lines);
    load.next = 0;
    load.arrival = now;
    load.missing = 0;
    load.result = 0;
    load_queue_.push_back(index);
}

LoadStoreUnit::LaunchAccesses& LoadStoreUnit::accesses_of(std::size_t launch) {
    if (launch >= accesses_.size()) accesses_.resize(launch + 1);
    LaunchAccesses& accesses = accesses_[launch];
    if (!accesses.begun && shape_->l1_invalidate) cache_ = Cache{shape_->l1};
    accesses.begun = true;
    return accesses;
}

void LoadStoreUnit::begin_store(std::int64_t now) {
    const Store& store = stores_.front();
    store_due_ =
        now + machine_->buffer_drain->draw(store.issue.passes, store.issue.most_sectors, random_);
    store_blocked_ = false;
}

void LoadStoreUnit::receive_answer(const MemoryAnswer& answer) {
    if (answer.kind == MemoryAnswer::Kind::Accepted) {
        --in_flight_;
        load_blocked_ = false;
        store_blocked_ = false;
        return;
    }
    const Read& read = reads_[answer.id];
    for_each_sector(read.line, read.sectors, [&](std::uint64_t sector) {
        MissTable::Entry& entry = *misses_.find(sector);
        entry.filled_at = answer.at;
        for (const std::uint32_t load : entry.waiting)
            settle(load, answer.at);
    });
    arrivals_.push({.at = answer.at, .read = answer.id});
}

bool LoadStoreUnit::receive(std::int64_t now) {
    received_.clear();
    for (std::size_t sender = 0; sender < links_.issues.size(); ++sender)
        for (const MemoryIssue& issue : links_.issues[sender].messages())
            received_.emplace_back(sender, issue);
    // Operand collectors send accesses in the order in which they entered their units.
    for (std::size_t left = links_.issues.size() > 1 ? received_.size() : 0; left > 1; --left)
        std::swap(received_[left - 1], received_[static_cast<std::size_t>(
                                           random_.draw(0, static_cast<std::int64_t>(left) - 1))]);
    for (const auto& [sender, issue] : received_)
        accept(issue, sender, now);
    for (const MemoryAnswer& answer : links_.answers.messages())
        receive_answer(answer);
    return !received_.empty() || !links_.answers.messages().empty();
}

void LoadStoreUnit::fill(std::int64_t now) {
    while (!arrivals_.empty() && arrivals_.top().at <= now) {
        const std::uint32_t index = arrivals_.top().read;
        arrivals_.pop();
        const Read& read = reads_[index];
        cache_.fill(read.line / shape_->l1.line, read.sectors, false);
        for_each_sector(read.line, read.sectors,
                        [&](std::uint64_t sector) { misses_.remove(sector); });
        if (log_->has_listener())
            log_->add(LineFilled{.cycle = now,
                                 .warp = 0,
                                 .level = CacheLevel::L1,
                                 .unit = static_cast<int>(index_),
                                 .address = read.line,
                                 .sectors = read.sectors});
        free_reads_.push_back(index);
        load_blocked_ = false;
    }
}

void LoadStoreUnit::notify_result(std::uint32_t index) {
    const Load& load = loads_[index];
    finish(load.issue.launch, load.result);
    links_.results[load.sender].put(ResultNotified{.tag = load.issue.tag,
                                                   .warp = load.issue.warp,
                                                   .number = load.issue.number,
                                                   .at = load.result});
    free_loads_.push_back(index);
}

void LoadStoreUnit::finish(std::size_t launch, std::int64_t at) {
    --accesses_[launch].unfinished;
    accesses_[launch].completion = std::max(accesses_[launch].completion, at);
}

void LoadStoreUnit::settle(std::uint32_t index, std::int64_t at) {
    Load& load = loads_[index];
    load.result = std::max(load.result, at);
    if (--load.missing == 0 && load.next >= load.lines.size()) notify_result(index);
}

void LoadStoreUnit::send(std::int64_t now, MemoryRequest request) {
    const std::int64_t start = std::max(now, link_free_at_);
    // A request for data has none with it.
    link_free_at_ = start + random_.draw_share(shape_->link_service,
                                               request.write ? std::popcount(request.sectors) : 0,
                                               shape_->l1.sectors_per_line());
    request.transit = random_.draw(shape_->transit);
    request.at = start + request.transit;
    ++in_flight_;
    links_.requests.put(request);
}

bool LoadStoreUnit::access_line(std::int64_t now) {
    const std::uint32_t index = load_queue_.front();
    Load& load = loads_[index];
    if (load.next < load.lines.size()) {
        const models::TouchedLine& line = load.lines[load.next];
        const std::uint64_t number = line.address / shape_->l1.line;
        const std::uint64_t hit = line.sectors & cache_.present(number);
        std::uint64_t added = 0;
        bool merges = true;
        const std::uint64_t first = line.address / shape_->l1.sector;
        for (std::uint64_t left = line.sectors & ~hit; left != 0; left &= left - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(left));
            const MissTable::Entry* const entry = misses_.find(first + bit);
            if (entry == nullptr)
                added |= std::uint64_t{1} << bit;
            else
                merges = merges && misses_.can_merge(*entry);
        }
        if (!merges || misses_.free_entries() < static_cast<std::size_t>(std::popcount(added)) ||
            (added != 0 && in_flight_ >= shape_->link_queue))
            return false;
        const std::uint64_t merged = line.sectors & ~hit & ~added;
        if (hit != 0) cache_.touch(number);
        if (hit != 0 || merged != 0)
            load.result = std::max(load.result, now + random_.draw(shape_->l1.latency));
        for_each_sector(line.address, merged, [&](std::uint64_t sector) {
            MissTable::Entry& entry = *misses_.find(sector);
            entry.waiting.push_back(index);
            if (entry.filled_at == never)
                ++load.missing;
            else
                load.result = std::max(load.result, entry.filled_at);
        });
        if (added != 0) {
            for_each_sector(line.address, added, [&](std::uint64_t sector) {
                misses_.add(sector, index);
                ++load.missing;
            });
            if (free_reads_.empty()) {
                free_reads_.push_back(static_cast<std::uint32_t>(reads_.size()));
                reads_.emplace_back();
            }
            const std::uint32_t read = free_reads_.back();
            free_reads_.pop_back();
            reads_[read] = Read{.line = line.address, .sectors = added};
            send(now, MemoryRequest{.id = read,
                                    .write = false,
                                    .address = line.address,
                                    .sectors = added,
                                    .at = 0,
                                    .transit = 0,
                                    .warp = load.issue.warp});
        }
        if (log_->has_listener())
            log_->add(LineAccessed{.cycle = now,
                                   .warp = load.issue.warp,
                                   .level = CacheLevel::L1,
                                   .unit = static_cast<int>(index_),
                                   .address = line.address,
                                   .write = false,
                                   .hit = hit,
                                   .merged = merged,
                                   .missed = added});
        ++load.next;
        load.arrival += load.issue.pass_cost;
        l1_free_at_ = now + random_.draw_share(shape_->l1.service, std::popcount(line.sectors),
                                               shape_->l1.sectors_per_line());
    } else { // No lane is active.
        load.result = now + random_.draw(shape_->l1.latency);
    }
    if (load.next < load.lines.size()) return true;
    load_queue_.pop_front();
    links_.freed.put(EntriesFreed{.loads = 1, .stores = 0});
    if (load.missing == 0) notify_result(index);
    return true;
}

bool LoadStoreUnit::drain(std::int64_t now) {
    Store& store = stores_.front();
    for (; store.next < store.lines.size(); ++store.next) {
        if (in_flight_ >= shape_->link_queue) return false;
        const models::TouchedLine& line = store.lines[store.next];
        if (shape_->l1_write_evict) cache_.drop(line.address / shape_->l1.line);
        send(now, MemoryRequest{.id = 0,
                                .write = true,
                                .address = line.address,
                                .sectors = line.sectors,
                                .at = 0,
                                .transit = 0,
                                .warp = store.issue.warp});
        if (log_->has_listener())
            log_->add(LineAccessed{.cycle = now,
                                   .warp = store.issue.warp,
                                   .level = CacheLevel::L1,
                                   .unit = static_cast<int>(index_),
                                   .address = line.address,
                                   .write = true,
                                   .hit = 0,
                                   .merged = 0,
                                   .missed = line.sectors});
    }
    if (log_->has_listener()) log_->add(Drained{.cycle = now, .warp = store.issue.warp});
    finish(store.issue.launch, now);
    links_.freed.put(EntriesFreed{.loads = 0, .stores = 1});
    stores_.pop_front();
    if (!stores_.empty()) begin_store(now);
    return true;
}

std::int64_t LoadStoreUnit::load_due() const {
    if (load_queue_.empty() || load_blocked_) return never;
    return std::max(loads_[load_queue_.front()].arrival, l1_free_at_);
}

std::int64_t LoadStoreUnit::store_due() const {
    return stores_.empty() || store_blocked_ ? never : store_due_;
}

void LoadStoreUnit::tick(std::int64_t now) {
    if (!receive(now) && now < wake_) return;
    fill(now);
    for (;;) {
        const bool load = load_due() <= now;
        const bool store = store_due() <= now;
        if (!load && !store) break;
        if (load && (!store || random_.draw(0, 1) == 0))
            load_blocked_ = !access_line(now);
        else
            store_blocked_ = !drain(now);
    }
    wake_ = std::min(load_due(), store_due());
    if (!arrivals_.empty()) wake_ = std::min(wake_, arrivals_.top().at);
}

} // namespace warpbound::harness::simulator

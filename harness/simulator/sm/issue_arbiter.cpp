#include "harness/simulator/sm/issue_arbiter.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

std::size_t draw_entries(const MachineShape& machine, RandomSource& random) {
    return machine.buffer_entries ? static_cast<std::size_t>(random.draw(*machine.buffer_entries))
                                  : 1;
}

} // namespace

IssueArbiter::IssueArbiter(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                           const RunOptions& options, Precedence precedence, EventLog& log)
    : links_{std::move(links)}, drain_{machine.buffer_drain.value_or(DrainShape{})}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Arbiter, multiprocessor}},
      precedence_{precedence} {
    requesters_.reserve(links_.requests.size());
    for (const auto& requests : links_.requests)
        requests.read_by(*this);
    if (machine.register_file) {
        links_.latch_freed->read_by(*this);
        for (const CollectorShape& pool : machine.register_file->pools)
            latch_entries_.push_back(pool.issue_slots);
    }
    const std::size_t entries = draw_entries(machine, random_);
    if (!links_.freed) {
        buffer_.emplace(entries);
        return;
    }
    links_.freed->read_by(*this);
    stores_ = QueueEntries{.count = entries, .free_at = links_.buffer_free_at};
    loads_ = QueueEntries{.count = machine.memory->l1_queue, .free_at = links_.load_queue_free_at};
}

void IssueArbiter::QueueEntries::allocate(std::int64_t now) {
    const std::size_t released_now = released_at == now ? released : 0;
    if (++occupied + released_now == count) free_at->set(released_now > 0 ? now + 1 : never);
}

bool IssueArbiter::QueueEntries::release(std::size_t freed, std::int64_t now) {
    if (freed == 0) return false;
    if (released_at != now) released = 0;
    released_at = now;
    const bool was_full = occupied + released == count;
    occupied -= freed;
    released += freed;
    if (was_full) free_at->set(now + 1);
    return was_full;
}

void IssueArbiter::receive(const EntriesFreed& freed, std::int64_t now) {
    const bool stores = stores_->release(freed.stores, now);
    const bool loads = loads_->release(freed.loads, now);
    if (!stores && !loads) return;
    for (const auto& notices : links_.notices)
        notices.put(EntryAvailable{});
}

IssueAnswer IssueArbiter::grant(const IssueRequest& request, std::int64_t now) {
    Staged<std::int64_t>* port = request.port ? links_.ports_free_at[*request.port] : nullptr;
    if (port != nullptr && port->staged() > now) return {};
    const bool waits_for_buffer = (buffer_ ? buffer_->free_at() : stores_->free_at->staged()) > now;
    if (request.store && waits_for_buffer) return {};
    if (request.load && loads_->free_at->staged() > now) return {};
    if (request.pool) {
        // Entries may become free in each cycle, in the first step of the collectors.
        std::size_t& free_entries = latch_entries_[*request.pool];
        if (free_entries <= 1) links_.latch_free_at[*request.pool]->set(now + 1);
        if (free_entries == 0) return {};
        --free_entries;
    }
    if (port != nullptr) port->set(now + request.occupancy);
    if (request.load) loads_->allocate(now);
    if (request.store && stores_) stores_->allocate(now);
    if (!request.store || !buffer_) return {.granted = true};
    const std::int64_t drains =
        buffer_->enter(now, drain_.draw(request.passes, request.most_sectors, random_));
    links_.buffer_free_at->set(buffer_->free_at());
    if (log_->has_listener()) log_->add(Drained{.cycle = drains, .warp = request.warp});
    return {.granted = true, .drains = drains};
}

void IssueArbiter::tick(std::int64_t now) {
    if (links_.latch_freed)
        for (const LatchFreed& freed : links_.latch_freed->messages())
            latch_entries_[freed.pool] += freed.count;
    if (links_.freed)
        for (const EntriesFreed& freed : links_.freed->messages())
            receive(freed, now);
    requesters_.clear();
    for (std::size_t scheduler = 0; scheduler < links_.requests.size(); ++scheduler)
        if (!links_.requests[scheduler].messages().empty()) requesters_.push_back(scheduler);
    for (std::size_t left = requesters_.size(); left > 1; --left)
        std::swap(requesters_[left - 1], requesters_[static_cast<std::size_t>(random_.draw(
                                             0, static_cast<std::int64_t>(left) - 1))]);
    if (precedence_ != Precedence::Random && requesters_.size() > 1)
        std::stable_sort(requesters_.begin(), requesters_.end(), [&](std::size_t a, std::size_t b) {
            const auto issued = [&](std::size_t scheduler) {
                return links_.requests[scheduler].messages().front().issued;
            };
            return precedence_ == Precedence::FurthestFirst ? issued(a) > issued(b)
                                                            : issued(a) < issued(b);
        });
    for (const std::size_t scheduler : requesters_) {
        const IssueRequest& request = links_.requests[scheduler].messages().front();
        links_.answers[scheduler].put(grant(request, now));
    }
}

} // namespace warpbound::harness::simulator

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
    : links_{std::move(links)}, drain_{machine.buffer_drain.value_or(Range{})}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Arbiter, multiprocessor}},
      precedence_{precedence} {
    asking_.reserve(links_.requests.size());
    for (const auto& requests : links_.requests)
        requests.read_by(*this);
    if (machine.register_file) {
        links_.left_latch->read_by(*this);
        for (const CollectorShape& pool : machine.register_file->pools)
            latch_room_.push_back(pool.issue_slots);
    }
    const std::size_t entries = draw_entries(machine, random_);
    if (!links_.freed) {
        buffer_.emplace(entries);
        return;
    }
    links_.freed->read_by(*this);
    stores_ = Places{.count = entries, .room_at = links_.buffer_room_at};
    loads_ = Places{.count = machine.memory->l1_queue, .room_at = links_.loads_room_at};
}

void IssueArbiter::Places::take(std::int64_t now) {
    const std::size_t left = left_at == now ? leaving : 0;
    if (++taken + left == count) room_at->set(left > 0 ? now + 1 : never);
}

bool IssueArbiter::Places::free(std::size_t freed, std::int64_t now) {
    if (freed == 0) return false;
    if (left_at != now) leaving = 0;
    left_at = now;
    const bool was_full = taken + leaving == count;
    taken -= freed;
    leaving += freed;
    if (was_full) room_at->set(now + 1);
    return was_full;
}

void IssueArbiter::hear(const RoomFreed& freed, std::int64_t now) {
    const bool stores = stores_->free(freed.stores, now);
    const bool loads = loads_->free(freed.loads, now);
    if (!stores && !loads) return;
    for (const auto& notices : links_.notices)
        notices.put(RoomNotice{});
}

IssueAnswer IssueArbiter::grant(const IssueRequest& request, std::int64_t now) {
    Staged<std::int64_t>* port = request.port ? links_.ports_free_at[*request.port] : nullptr;
    if (port != nullptr && port->staged() > now) return {};
    const bool waits_for_buffer = (buffer_ ? buffer_->room_at() : stores_->room_at->staged()) > now;
    if (request.store && waits_for_buffer) return {};
    if (request.load && loads_->room_at->staged() > now) return {};
    if (request.pool) {
        // Places may become free in each cycle, at the first step of the collectors.
        std::size_t& room = latch_room_[*request.pool];
        if (room <= 1) links_.latch_room_at[*request.pool]->set(now + 1);
        if (room == 0) return {};
        --room;
    }
    if (port != nullptr) port->set(now + request.occupancy);
    if (request.load) loads_->take(now);
    if (request.store && stores_) stores_->take(now);
    if (!request.store || !buffer_) return {.granted = true};
    const std::int64_t drains = buffer_->enter(now, request.passes * random_.draw(drain_));
    links_.buffer_room_at->set(buffer_->room_at());
    if (log_->has_listener()) log_->add(Drained{.cycle = drains, .warp = request.warp});
    return {.granted = true, .drains = drains};
}

void IssueArbiter::tick(std::int64_t now) {
    if (links_.left_latch)
        for (const LatchNotice& left : links_.left_latch->messages())
            latch_room_[left.pool] += left.count;
    if (links_.freed)
        for (const RoomFreed& freed : links_.freed->messages())
            hear(freed, now);
    asking_.clear();
    for (std::size_t scheduler = 0; scheduler < links_.requests.size(); ++scheduler)
        if (!links_.requests[scheduler].messages().empty()) asking_.push_back(scheduler);
    for (std::size_t left = asking_.size(); left > 1; --left)
        std::swap(asking_[left - 1], asking_[static_cast<std::size_t>(
                                         random_.draw(0, static_cast<std::int64_t>(left) - 1))]);
    if (precedence_ != Precedence::RandomSource && asking_.size() > 1)
        std::stable_sort(asking_.begin(), asking_.end(), [&](std::size_t a, std::size_t b) {
            const auto issued = [&](std::size_t scheduler) {
                return links_.requests[scheduler].messages().front().issued;
            };
            return precedence_ == Precedence::FurthestFirst ? issued(a) > issued(b)
                                                            : issued(a) < issued(b);
        });
    for (const std::size_t scheduler : asking_) {
        const IssueRequest& request = links_.requests[scheduler].messages().front();
        links_.answers[scheduler].put(grant(request, now));
    }
}

} // namespace warpbound::harness::simulator

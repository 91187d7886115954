#include "harness/simulator/pipeline/memory_queue.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

std::int64_t QueuePlaces::free_at() const {
    if (waiting_ >= places_) return never;
    // With `known` of the leaving instructions still in the queue there is no place.
    const std::size_t known = places_ - waiting_;
    return leaves_.size() < known ? 0 : leaves_[leaves_.size() - known];
}

void QueuePlaces::leave(std::int64_t at) {
    --waiting_;
    leaves_.push_back(at);
    if (leaves_.size() > places_) leaves_.pop_front();
}

MemoryQueues::MemoryQueues(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                           const RunOptions& options, EventLog& log)
    : links_{std::move(links)}, shape_{*machine.memory_queue}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::MemoryQueue, multiprocessor}},
      queues_(links_.orders.size()) {
    for (const auto& orders : links_.orders)
        orders.read_by(*this);
    turn_ =
        static_cast<std::size_t>(random_.draw(0, static_cast<std::int64_t>(queues_.size()) - 1));
}

std::int64_t MemoryQueues::Queue::ready_at() const {
    return waiting.empty() ? never
                           : std::max(waiting.front().issued + waiting.front().entry, next_at);
}

std::int64_t MemoryQueues::next_hand_over() const {
    std::int64_t earliest = never;
    for (const Queue& queue : queues_)
        earliest = std::min(earliest, queue.ready_at());
    return earliest == never ? never : std::max(earliest, path_free_at_);
}

void MemoryQueues::hand_over(std::int64_t at) {
    std::size_t chosen = turn_;
    while (queues_[chosen].ready_at() > at)
        chosen = (chosen + 1) % queues_.size();
    turn_ = (chosen + 1) % queues_.size();
    Queue& queue = queues_[chosen];
    const QueueOrder order = std::move(queue.waiting.front());
    queue.waiting.pop_front();
    queue.next_at = at + random_.draw(order.interval);
    path_free_at_ = at + order.occupancy;
    const std::int64_t begin = at - order.entry;
    HandOver message{.at = at,
                     .notice = {.warp_slot = order.warp_slot,
                                .launch = order.launch,
                                .warp = order.warp,
                                .number = order.number,
                                .at = std::nullopt,
                                .sources_read = std::nullopt},
                     .atomic = order.atomic,
                     .load = order.load};
    if (!order.atomic && !order.load) message.notice.at = std::max(begin + order.delay, at);
    if (order.source_read)
        message.notice.sources_read =
            std::max(begin + *order.source_read, at + 2 - shape_.least_entry);
    if (message.atomic) message.atomic->delay = order.delay - order.entry;
    links_.hand_overs[chosen].put(message);
    if (log_->has_listener())
        log_->add(HandedOver{.cycle = at,
                             .warp = order.warp,
                             .instruction = order.instruction,
                             .number = order.number,
                             .entry = order.entry,
                             .next = queue.next_at,
                             .until = path_free_at_});
}

void MemoryQueues::tick(std::int64_t now) {
    for (std::size_t scheduler = 0; scheduler < queues_.size(); ++scheduler)
        for (const QueueOrder& order : links_.orders[scheduler].messages())
            queues_[scheduler].waiting.push_back(order);
    const std::int64_t ahead = shape_.least_entry - 1;
    std::int64_t next = next_hand_over();
    for (; next != never && next <= now + ahead; next = next_hand_over())
        hand_over(next);
    wake_ = next == never ? never : next - ahead;
}

} // namespace warpbound::harness::simulator

#include "harness/simulator/clock/event_log.hpp"

#include <algorithm>
#include <tuple>

namespace warpbound::harness::simulator {

namespace {

/// Orders events of one type in one cycle; equal ones keep the order in which they were added.
template <typename EventType> int order_in_cycle(const EventType& event) {
    return event.warp;
}
/// Only one component adds events with this number.
int order_in_cycle(const LineFilled& filled) {
    return cache_level_count * filled.unit + static_cast<int>(filled.level);
}
int order_in_cycle(const LineAccessed& accessed) {
    return cache_level_count * accessed.unit + static_cast<int>(accessed.level);
}
int order_in_cycle(const AtomicServed& served) {
    return static_cast<int>(served.slice);
}
int order_in_cycle(const DramServed& served) {
    return served.channel;
}
int order_in_cycle(const OperationStepped& stepped) {
    return static_cast<int>(stepped.operation);
}

} // namespace

bool EventLog::later(const Entry& a, const Entry& b) {
    return std::tie(a.cycle, a.type, a.source, a.sequence) >
           std::tie(b.cycle, b.type, b.source, b.sequence);
}

void EventLog::add(const Event& event) {
    const auto entry = std::visit(
        [&](const auto& what) {
            return Entry{what.cycle, event.index(), order_in_cycle(what), sequence_++, event};
        },
        event);
    waiting_.push_back(entry);
    std::push_heap(waiting_.begin(), waiting_.end(), later);
}

void EventLog::flush(std::int64_t now) {
    while (!waiting_.empty() && waiting_.front().cycle <= now) {
        std::pop_heap(waiting_.begin(), waiting_.end(), later);
        (*listener_)(waiting_.back().event);
        waiting_.pop_back();
    }
}

} // namespace warpbound::harness::simulator

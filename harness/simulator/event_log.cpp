#include "harness/simulator/event_log.hpp"

#include <algorithm>
#include <tuple>

namespace warpbound::harness::simulator {

bool EventLog::later(const Entry& a, const Entry& b) {
    return std::tie(a.cycle, a.kind, a.warp, a.sequence) >
           std::tie(b.cycle, b.kind, b.warp, b.sequence);
}

void EventLog::add(const Event& event) {
    const auto entry = std::visit(
        [&](const auto& what) {
            return Entry{what.cycle, event.index(), what.warp, sequence_++, event};
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

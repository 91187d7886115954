#include "harness/simulator/clock/event_log.hpp"

#include <algorithm>
#include <tuple>

namespace warpbound::harness::simulator {

namespace {

/// What orders events of one kind in one cycle, before the order in which they were added.
template <typename What> int place_of(const What& what) {
    return what.warp;
}
/// Each is added by one component only.
int place_of(const LineFilled& filled) {
    return 3 * filled.unit + static_cast<int>(filled.level);
}
int place_of(const LineAccessed& accessed) {
    return 3 * accessed.unit + static_cast<int>(accessed.level);
}
int place_of(const DramServed& served) {
    return served.channel;
}
int place_of(const OperationStepped& stepped) {
    return static_cast<int>(stepped.operation);
}

} // namespace

bool EventLog::later(const Entry& a, const Entry& b) {
    return std::tie(a.cycle, a.kind, a.place, a.sequence) >
           std::tie(b.cycle, b.kind, b.place, b.sequence);
}

void EventLog::add(const Event& event) {
    const auto entry = std::visit(
        [&](const auto& what) {
            return Entry{what.cycle, event.index(), place_of(what), sequence_++, event};
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

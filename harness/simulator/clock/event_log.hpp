#pragma once
/// \file
/// Puts the events of a run in time order before the listener receives them.

#include "harness/simulator/clock/event.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

/// Starts, results and drains are known before they happen; they wait here for their cycle. Events
/// of one cycle are ordered by type as in `Event`, and events of one type by warp, by cache or
/// channel, or by operation. So the order does not depend on which component reported first.
class EventLog {
public:
    explicit EventLog(const Listener& listener) : listener_{listener ? &listener : nullptr} {}

    /// Without a listener `add` must not be called.
    [[nodiscard]] bool has_listener() const { return listener_ != nullptr; }
    void add(const Event& event);
    /// Passes all events up to `now` to the listener.
    void flush(std::int64_t now);

private:
    struct Entry {
        std::int64_t cycle;
        std::size_t type; ///< Index in `Event`.
        int source;
        std::uint64_t sequence;
        Event event;
    };
    static bool later(const Entry& a, const Entry& b);

    const Listener* listener_;
    std::vector<Entry> waiting_; ///< A heap, the earliest first.
    std::uint64_t sequence_ = 0;
};

} // namespace warpbound::harness::simulator

#pragma once
/// \file
/// Puts the events of a run in time order before the listener hears them.

#include "harness/simulator/clock/event.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

/// Starts, results and drains are known before they happen; they wait here for their cycle. Within
/// a cycle they are ordered as in `Event`, each kind by warp, by cache or
/// channel, or by operation, so that the order does not depend on
/// who reported first.
class EventLog {
public:
    explicit EventLog(const Listener& listener) : listener_{listener ? &listener : nullptr} {}

    /// Whether anybody listens; without a listener `add` must not be called.
    [[nodiscard]] bool has_listener() const { return listener_ != nullptr; }
    void add(const Event& event);
    /// Passes on all events up to `now`.
    void flush(std::int64_t now);

private:
    struct Entry {
        std::int64_t cycle;
        std::size_t kind; ///< Place in `Event`.
        int place;
        std::uint64_t sequence;
        Event event;
    };
    static bool later(const Entry& a, const Entry& b);

    const Listener* listener_;
    std::vector<Entry> waiting_; ///< A heap, the earliest first.
    std::uint64_t sequence_ = 0;
};

} // namespace warpbound::harness::simulator

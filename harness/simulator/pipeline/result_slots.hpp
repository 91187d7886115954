#pragma once
/// \file
/// The result slots of each cycle for instructions of fixed latency (C49).

#include <cstddef>
#include <cstdint>
#include <map>

namespace warpbound::harness::simulator {

class ResultSlots {
public:
    explicit ResultSlots(std::size_t slots) : slots_{slots} {}

    [[nodiscard]] bool is_full(std::int64_t cycle) const {
        const auto found = occupied_.find(cycle);
        return found != occupied_.end() && found->second == slots_;
    }
    void take(std::int64_t cycle) { ++occupied_[cycle]; }
    /// Discards the cycles up to `now`.
    void forget(std::int64_t now) {
        occupied_.erase(occupied_.begin(), occupied_.upper_bound(now));
    }

private:
    std::size_t slots_;
    std::map<std::int64_t, std::size_t> occupied_;
};

} // namespace warpbound::harness::simulator

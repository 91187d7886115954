#pragma once
/// \file
/// How many results of fixed latency leave the units in a cycle (C49).

#include <cstdint>
#include <map>

namespace warpbound::harness::simulator {

class ResultSlots {
public:
    explicit ResultSlots(std::size_t slots) : slots_{slots} {}

    [[nodiscard]] bool is_full(std::int64_t cycle) const {
        const auto found = taken_.find(cycle);
        return found != taken_.end() && found->second == slots_;
    }
    void take(std::int64_t cycle) { ++taken_[cycle]; }
    /// Cycles up to `now` are over.
    void forget(std::int64_t now) { taken_.erase(taken_.begin(), taken_.upper_bound(now)); }

private:
    std::size_t slots_;
    std::map<std::int64_t, std::size_t> taken_;
};

} // namespace warpbound::harness::simulator

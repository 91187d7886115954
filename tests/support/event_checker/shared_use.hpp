#pragma once
/// \file
/// The use of resources that warps share: ports (C7, C12), the write buffer (C8, C15) and the load
/// queue (C25).

#include "tests/support/event_checker/recorded_launch.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace warpbound::tests {

class SharedUse {
public:
    /// The launch must be collected and outlive this.
    explicit SharedUse(RecordedLaunch& run);

    void check_ports();
    void check_buffer();
    void check_queue();

    /// When the port of an issue is free: `cycle`, or the end of its use by an issue other than
    /// `except`.
    [[nodiscard]] std::int64_t port_free_at(const Issue& issue, std::int64_t cycle,
                                            const Issue* except) const;
    /// Entries in the write buffer of an SM in a cycle.
    [[nodiscard]] std::int64_t buffered(std::int64_t cycle, int multiprocessor) const;
    /// Loads in the load queue of the L1 of an SM in a cycle.
    [[nodiscard]] std::int64_t queued(std::int64_t cycle, int multiprocessor) const;
    /// The next cycle in which there may be fewer.
    [[nodiscard]] std::int64_t after_drain(std::int64_t cycle, int multiprocessor) const;
    [[nodiscard]] std::int64_t after_leaving(std::int64_t cycle, int multiprocessor) const;

private:
    using Port = std::tuple<std::size_t, int, int>; ///< Unit, scope, SM, scheduler or warp.

    /// Cycles of the events on one SM, in time order.
    struct Times {
        std::vector<std::int64_t> stores;
        std::vector<std::int64_t> drains;
        std::vector<std::int64_t> loads;
        std::vector<std::int64_t> loads_left;
    };

    [[nodiscard]] Port port_of(const Issue& issue) const;

    RecordedLaunch& run_;
    std::map<int, Times> times_;                      ///< By SM.
    std::map<Port, std::vector<const Issue*>> users_; ///< In time order.
};

} // namespace warpbound::tests

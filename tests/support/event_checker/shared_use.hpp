#pragma once
/// \file
/// Who occupied what warps share: ports (C7, C12), the write buffer (C8, C15) and the load
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

    /// Whether an issue other than `except` occupies the port of this one in a cycle.
    [[nodiscard]] bool is_port_taken(const Issue& issue, std::int64_t cycle,
                                     const Issue* except) const;
    /// Entries in the write buffer of an SM in a cycle.
    [[nodiscard]] std::int64_t buffered(std::int64_t cycle, int multiprocessor) const;
    /// Loads in the load queue of the L1 of an SM in a cycle.
    [[nodiscard]] std::int64_t queued(std::int64_t cycle, int multiprocessor) const;

private:
    using Port = std::tuple<std::size_t, int, int>; ///< Unit, scope, SM, scheduler or warp.

    [[nodiscard]] Port port_of(const Issue& issue) const;

    RecordedLaunch& run_;
    std::map<Port, std::vector<const Issue*>> users_; ///< In the order of time.
};

} // namespace warpbound::tests

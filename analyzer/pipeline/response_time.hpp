#pragma once
/// \file
/// Response times of operations at one server (docs/theory, S61): any order, first in first
/// out, fixed priorities without preemption.

#include "analyzer/pipeline/memory_interference.hpp"
#include "models/pipeline/system.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// Operations of one stage, which arrive again and again. The k-th arrives from k `distance` +
/// `earliest` to k `distance` + `latest` after the first nominal instant, or at larger distances.
/// `Unit:` ns.
struct RecurringOperation {
    std::int64_t cost = 0; ///< Time at the server alone, at most.
    std::int64_t distance = 1;
    std::int64_t earliest = 0;
    std::int64_t latest = 0;
    std::int64_t priority = 0; ///< The smallest number is the most urgent.

    [[nodiscard]] std::int64_t jitter() const { return latest - earliest; }
};

struct ServerLoad {
    models::ServerOrder order = models::ServerOrder::Any;
    std::vector<RecurringOperation> operations;
    /// Of operations less urgent than all others, which come at any rate; `order` is Priority.
    std::int64_t blocking = 0;
    MemoryInterference memory;
};

/// `Unit:` ns. `Side:` upper.
struct ResponseTime {
    std::int64_t from_arrival = 0; ///< From its arrival at the server to its end.
    std::int64_t from_release = 0; ///< From the nominal instant of its job to its end.
    std::int64_t memory = 0;       ///< Part of `from_arrival` that others' traffic causes.
    std::int64_t busy_period = 0;  ///< Longest one: of the server, by priority of the operation.
    /// By priority: by when each job of the busy period has started, from its beginning.
    std::vector<std::int64_t> starts{};
};

/// Bounds of all operations, or why there are none.
struct ResponseTimes {
    std::vector<ResponseTime> bounds; ///< Shape: [operation]; empty: there are none.
    std::string refusal;
};

/// The fixed points over the longest busy period. None where it does not end within ten days or
/// 100,000 steps. Requires: distances above 0, costs and `earliest` not below 0, earliest <=
/// latest.
/// Source: George, Rivierre, Spuri 1996 (first in first out, busy periods); Davis, Burns, Bril,
/// Lukkien 2007 (every job of the busy period under fixed priorities); Tindell, Clark 1994
/// (jitter).
ResponseTimes response_times(const ServerLoad& load);

/// Share of the time that the server is busy in the long run, at most. For reports.
double utilisation(const ServerLoad& load);

} // namespace warpbound::analyzer

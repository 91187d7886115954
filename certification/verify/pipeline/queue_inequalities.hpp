#pragma once
/// \file
/// Whether claimed response times are bounds at a server (S61): each satisfies an inequality that
/// nothing below the smallest fixed point does.

#include "certification/verify/pipeline/claimed_pipelines.hpp"
#include "certification/verify/pipeline/exact.hpp"
#include "certification/verify/pipeline/traffic.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Arrivals at least `distance` apart, up to `jitter`, each with so much work. `Unit:` ns.
struct Arrivals {
    Exact work = 0;
    Exact distance = 1;
    Exact jitter = 0;

    /// N(a) of S61: in a closed interval of this length, at most.
    [[nodiscard]] Exact within(Exact length) const { return sum(length, jitter) / distance + 1; }
    /// The same without the end of the interval. Requires: length > 0.
    [[nodiscard]] Exact before(Exact length) const {
        return quotient_up(sum(length, jitter), distance);
    }
};

struct QueuedStage {
    Arrivals arrivals;
    std::int64_t priority = 0; ///< The smallest number is the most urgent.
    const ClaimedStage* claimed = nullptr;
};

struct Queue {
    std::string server;
    models::ServerOrder order = models::ServerOrder::Any;
    std::vector<QueuedStage> stages;
    std::vector<Arrivals> clients; ///< Operations of clients, but for fixed priorities.
    Exact longest_of_clients = 0;  ///< For fixed priorities.
    TrafficOfOthers others;
};

/// Throws `Finding` (failed) for the first claim that does not follow, and (undecided) for a busy
/// period with too many arrivals.
void check_queue(const Queue& queue);

} // namespace warpbound::certification::verify

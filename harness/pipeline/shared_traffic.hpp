#pragma once
/// \file
/// Traffic at the shared memories in a simulated run: when who is served for how long.

#include "harness/simulator/clock/random.hpp"
#include "models/pipeline/system.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::harness {

/// Service of a part of an operation's bytes, as soon as so much of its own time is left.
/// `Unit:` ns.
struct Transfer {
    std::int64_t work_left = 0;
    std::int64_t service = 0;
};

class SharedTraffic {
public:
    explicit SharedTraffic(const models::PipelineSystem& system);

    /// The bytes of a stage in a few parts, at its start, at its end or anywhere between: by
    /// growing `work_left`. `work`: its own time.
    [[nodiscard]] std::vector<Transfer> transfers_of(const models::PipelineStage& stage,
                                                     std::int64_t work,
                                                     simulator::RandomStream& random) const;

    [[nodiscard]] bool has_budgets() const { return !budgets_.empty(); }
    /// Clients move all bytes that their budgets allow at this instant. Times do not decrease from
    /// call to call. Returns the time of their service.
    std::int64_t spend(std::int64_t now);
    /// About so long between two instants at which something happens.
    [[nodiscard]] std::int64_t typical_gap() const { return typical_gap_; }

private:
    [[nodiscard]] std::int64_t service(std::size_t memory, std::int64_t bytes) const;

    /// A bucket of `burst` bytes that fills by `rate` bytes per second.
    struct Bucket {
        std::size_t memory = 0;
        models::TrafficBudget budget;
        std::int64_t bytes = 0;
        std::int64_t filled_at = 0; ///< Instant up to which whole bytes have been added.
    };

    bool is_excluded_ = false;
    models::PerMemory<std::int64_t> bandwidth_{}; ///< 0: unknown.
    std::vector<Bucket> budgets_;
    std::int64_t typical_gap_ = 1;
};

} // namespace warpbound::harness

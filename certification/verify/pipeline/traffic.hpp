#pragma once
/// \file
/// Traffic of others at the shared memories, and how long it keeps an operation waiting (S60).

#include "certification/verify/pipeline/claimed_pipelines.hpp"
#include "certification/verify/pipeline/exact.hpp"
#include "models/pipeline/system.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <set>
#include <vector>

namespace warpbound::certification::verify {

/// A description and what is claimed of it. Requires: every stage of the system has a time.
struct ClaimedSystem {
    const models::PipelineSystem& system;
    const ClaimedPipelines& claims;

    [[nodiscard]] const models::PipelineStage& stage(std::size_t pipeline,
                                                     std::size_t stage) const {
        return system.pipelines[pipeline].stages[stage];
    }
    [[nodiscard]] const ClaimedStage& claimed(std::size_t pipeline, std::size_t stage) const {
        return claims.pipelines[pipeline].stages[stage];
    }
};

/// Stages that end before the stage begins, by `after` and what it leads to.
std::set<std::size_t> ancestors_of(const models::Pipeline& pipeline, std::size_t stage);
/// Whether one of two stages of a job ends before the other begins.
bool one_precedes(const models::Pipeline& pipeline, std::size_t one, std::size_t other);

/// Operations of one stage, as seen from another server.
struct TrafficSource {
    std::size_t pipeline = 0;
    std::size_t stage = 0;
    Exact bytes = 0;    ///< Of each operation.
    Exact distance = 0; ///< ns; 0: one operation at all.
    Exact spread = 0;   ///< Response time and jitter. `Unit:` ns.
};
struct MemoryLoad {
    Exact bandwidth = 0; ///< `Unit:` bytes per second.
    Exact burst = 0;
    Exact rate = 0;
    std::vector<TrafficSource> sources;

    [[nodiscard]] bool is_empty() const { return burst == 0 && rate == 0 && sources.empty(); }
    /// Time that the memory serves others in an interval. `Unit:` ns. `Side:` upper.
    [[nodiscard]] Exact served_within(Exact interval) const;
};
struct TrafficOfOthers {
    models::PerMemory<MemoryLoad> memories;

    /// M(t) of S60.
    [[nodiscard]] Exact delay_within(Exact interval) const;
    /// As `claims.json` has it beside a stage with this response time.
    [[nodiscard]] nlohmann::json as_claimed(const models::PipelineSystem& system,
                                            Exact response) const;
};

/// Stages of the only job at a server, one of which may wait for the others.
struct PendingTogether {
    std::size_t pipeline = 0;
    std::vector<std::size_t> stages;
};
/// Traffic of all that is not executed at the server. `pending`: at a server with one job at a
/// time. Throws `Finding` (failed) where the description leaves open what decides.
TrafficOfOthers traffic_beside(const ClaimedSystem& of, std::size_t server,
                               const PendingTogether* pending);

} // namespace warpbound::certification::verify

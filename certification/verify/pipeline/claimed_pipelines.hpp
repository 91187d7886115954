#pragma once
/// \file
/// What a bundle claims of pipelines: the numbers that the inequalities of S60 to S62 are about.

#include "models/pipeline/system.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// All times in ns, each from 0 to `models::longest_latency`.
struct ClaimedStage {
    std::string where; ///< "stage 'filter' of 'camera'".
    std::string basis;
    std::string source;
    std::string server; ///< Empty: none.
    std::string kernel; ///< Id in the bundle of kernels; empty: none.
    std::optional<std::pair<std::int64_t, std::int64_t>> cycles;
    std::int64_t own_lower = 0;
    std::int64_t own_upper = 0;
    std::int64_t earliest = 0; ///< Arrival at its server from the nominal instant, at least.
    std::int64_t latest = 0;
    std::int64_t response = 0; ///< From its arrival to its end.
    std::int64_t end = 0;      ///< From the nominal instant.
    std::optional<std::int64_t> busy_period;
    std::vector<std::int64_t> starts;
    /// Bytes of a job that follow from the code of its kernel. `Unit:` bytes.
    models::PerMemory<std::optional<std::int64_t>> traffic{};
    nlohmann::json interference; ///< As it stands there; null for host tasks.
};

struct ClaimedPipeline {
    std::string name;
    std::string kind;
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::optional<std::int64_t> deadline;
    std::string criticality;
    std::string verdict;
    std::vector<ClaimedStage> stages;
};

struct ClaimedPipelines {
    std::vector<ClaimedPipeline> pipelines;
    std::optional<models::ClockRange> clock;
    std::string kind; ///< Of the verdict.
    std::string verdict;
};

/// Reads `claims.json` of a bundle about this system: pipelines and stages in the order of the
/// description, by name. Throws `Finding` (incomplete).
ClaimedPipelines read_claimed_pipelines(const nlohmann::json& claims,
                                        const models::PipelineSystem& system);

} // namespace warpbound::certification::verify

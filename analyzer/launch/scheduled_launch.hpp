#pragma once
/// \file
/// A launch under the policy of its warp schedulers.

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "models/launch/warp_policy.hpp"

#include <vector>

namespace warpbound::analyzer {

struct ScheduledLaunch {
    LaunchGeometry shape;
    models::WarpPolicy policy;
    /// How often the warps of a block may execute each instruction with its guard true; empty: not
    /// known. `Shape:` [warp][instruction].
    std::vector<ExecutionCounts> executions{};

    [[nodiscard]] models::PolicyGuarantee guarantee() const { return models::guarantee_of(policy); }
};

/// Whether no scheduler ever has several warps of the launch: each warp has its own.
bool has_scheduler_to_itself(const LaunchGeometry& shape);

/// Whether every scheduler is work-conserving: it chooses a warp whenever one of its warps may
/// issue, by its policy or because it has so few warps.
bool conserves_work(const ScheduledLaunch& launch);

} // namespace warpbound::analyzer

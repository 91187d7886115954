#pragma once
/// \file
/// What `schedulers` finds of one policy: its bounds and its simulated runs.

#include "certification/schedulers/scheduler_comparison.hpp"
#include "cli/program/command.hpp"
#include "harness/protocol/protocol.hpp"
#include "models/launch/warp_policy.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::cli {

/// Bounds of one policy, or the reason why there are none, and its runs. `assumptions` become those
/// of the bounds, where there are any; `complete` becomes false when the user stopped the runs.
Result<certification::PolicyResult>
study_policy(const harness::Protocol& protocol, const LoadedLaunch& inputs,
             std::int64_t multiprocessors, const models::WarpPolicy& policy,
             std::vector<analyzer::Assumption>& assumptions, bool& complete);

} // namespace warpbound::cli

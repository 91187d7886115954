#pragma once
/// \file
/// What is asked of the analysis: a kernel, a machine, a launch, a policy and flow facts.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/launch/warp_policy.hpp"
#include "models/launch/workload.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct CertificateStore; // analyzer/evidence/certificate.hpp

/// What the host does around the launch, all in one stream and in this order.
struct HostTimeline {
    std::vector<models::HostOperation> before; ///< Copies.
    std::vector<models::HostOperation> behind; ///< Copies.
    /// Of the launch, before its first blocks. `Unit:` core cycles. None: `blocks/launch`.
    std::optional<models::Interval> launch_cost;
};

struct Request {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    const models::Architecture* architecture = nullptr;
    const models::FlowFacts* facts = nullptr;
    models::Launch launch;
    std::int64_t multiprocessors = 1; ///< On which the launch runs.
    models::WarpPolicy policy;
    /// Use what the conditions of branches exclude (docs/soundness.md, S19). Else only stated
    /// facts, which is what simulated runs keep, and loop bounds of the code where none are stated.
    bool follow_branches = false;
    std::optional<HostTimeline> host; ///< Bound the time from end to end as well; none: do not.
    std::optional<std::chrono::duration<double>> time_limit; ///< For the solver; none: no limit.
    std::uint64_t seed = 1;                                  ///< Of the solver.
    CertificateStore* proofs = nullptr; ///< Where to keep what the bounds rest on; none: nowhere.
};

} // namespace warpbound::analyzer

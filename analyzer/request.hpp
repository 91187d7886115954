#pragma once
/// \file
/// What the analysis is asked for: a kernel, a machine, a launch, a policy and flow facts.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/launch/warp_policy.hpp"
#include "models/launch/workload.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct CertificateStore; // analyzer/evidence/certificate.hpp
struct LoadedUnits;      // analyzer/bound.hpp

/// Operations of the host around the launch: all in one stream, in this order.
struct HostTimeline {
    std::vector<models::HostOperation> before; ///< Copies before the launch.
    std::vector<models::HostOperation> after;  ///< Copies after the launch.
    /// Cost of the launch before its first blocks start. `Unit:` core cycles. None: the value
    /// `blocks/launch` of the description.
    std::optional<models::Interval> launch_cost;
};

struct Request {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    const models::Architecture* architecture = nullptr;
    const models::FlowFacts* facts = nullptr;
    models::Launch launch;
    std::int64_t multiprocessors = 1; ///< Number of multiprocessors that run the launch.
    models::WarpPolicy policy;
    /// Exclude infeasible paths by the conditions of branches (docs/theory, S19). If false,
    /// the analysis uses stated facts only (which simulated runs keep, too), and loop bounds
    /// derived from the code where none are stated.
    bool follow_branches = false;
    /// Other launches may run meanwhile: what they load, this one may find in the L2 (S79).
    bool may_share_caches = false;
    /// Loads of unstated level go through the caches in all runs that the bounds are compared with:
    /// compulsory traffic counts (S79), also where branches are not followed. Simulated runs of
    /// stated paths draw levels instead (C16).
    bool loads_through_caches = false;
    /// Guards hold by the code in all runs that the bounds are compared with: demand counts by the
    /// indices of threads (S85), also where branches are not followed. Simulated runs of stated
    /// paths draw guards instead.
    bool follow_guards = false;
    std::optional<HostTimeline> host; ///< If given, the time from end to end is bounded as well.
    std::uint64_t seed = 1;           ///< Of the random numbers of the solver.
    /// Whether the check of the evidence finds that the launch loads these data (S79): it may leave
    /// out fewer paths than the analysis does. None: as if it always did. No bound depends on it.
    std::function<bool(const LoadedUnits&)> is_shown;
    CertificateStore* certificates = nullptr; ///< Receives the path certificates; none: not kept.
};

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Proved bounds on the time of a launch: from a kernel's control flow, the described machine and
/// flow facts.

#include "analyzer/bound.hpp"
#include "analyzer/request.hpp"
#include "models/bounds.hpp"
#include "models/pipeline/system.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

struct Analysis {
    Envelope execution_time; ///< C2 of docs/reference/timing-contract.md.
    std::optional<Envelope>
        measured_time; ///< C3, when the function has exactly two clock reads, both outside loops,
                       ///< executed once each on every path.
    std::string measured_time_absent; ///< Reason, when `measured_time` is absent and the function
                                      ///< reads the clock.
    /// From the host's first call to the end of its last operation; present with `Request::host`.
    std::optional<Envelope> end_to_end;
    std::vector<Assumption> assumptions;
    std::vector<Assumption> host_assumptions; ///< Further assumptions of `end_to_end`.
    std::string solver;                       ///< Name and version, when a solver was used.
    std::int64_t state_nodes = 0;             ///< Nodes of both sides' path problems.
    /// With `Request::certificates`: the bounds of the execution time that only re-analysis shows,
    /// where they are tighter than those with evidence (docs/theory, S23, S26 and S28).
    std::optional<models::Bounds<models::Cycles>> without_evidence;
};

/// Bounds the kernel's time. Side: both; integer cycles.
/// Sound when: the assumptions hold. Refuses, naming the source location and what is missing: a
/// policy that is not bounded for such a launch, guarded barriers, a loop without a bound,
/// contradictory facts, and an instruction on a feasible path whose timing is unknown.
/// In a `StopScope` that ends, steps that only tighten a bound are dropped, which the scope notes;
/// throws `Stopped` where no upper bound was reached.
Result<Analysis> analyze(const Request& request);

/// Bytes that the launch moves at the L2 and the DRAM. `Side:` upper. Refuses what `analyze`
/// refuses and accesses whose traffic is not known (analyzer/memory/shared_traffic.hpp).
Result<models::PerMemory<std::int64_t>> bound_traffic(const Request& request);

} // namespace warpbound::analyzer

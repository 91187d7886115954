#pragma once
/// \file
/// Proved bounds on the time of a launch: from a kernel's control flow, the described machine and
/// flow facts.

#include "analyzer/bound.hpp"
#include "analyzer/request.hpp"

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
    std::string
        measured_time_absent; ///< Why not, when it is absent and the function reads the clock.
    /// From the host's first call to the end of its last operation; with `Request::host`.
    std::optional<Envelope> end_to_end;
    std::vector<Assumption> assumptions;
    std::vector<Assumption> host_assumptions; ///< What `end_to_end` rests on beside those.
    std::string solver;                       ///< Name and version, when a solver was used.
    std::int64_t state_nodes = 0;             ///< Nodes of both sides' path problems.
    /// With `Request::proofs`: the bounds are sums of path lemmas that may be looser than the
    /// bounds of the same request without it (docs/soundness.md, S23, S26 and S28).
    bool sums_of_certificates = false;
};

/// Bounds the kernel's time. Side: both; integer cycles.
/// Sound when: the assumptions hold. Errors: refuses, naming place and what is missing, a policy
/// that is not bounded for such a launch, barriers that paths of a block pass unequally often, a
/// loop without a bound, contradictory facts, an instruction on a feasible path whose timing is
/// unknown.
Result<Analysis> analyze(const Request& request);

} // namespace warpbound::analyzer

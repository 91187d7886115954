#pragma once
/// \file
/// What the warps of a block demand, each by the indices of its threads, and the sums that count it
/// (step S85 of docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/interference/critical_path.hpp"
#include "certification/verify/interference/demand.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Whether a claim of the kernel counts each warp by the indices of its threads.
bool claims_warps(const KernelCase& kernel);

/// x of S85: what an instruction demands of its own scheduler beyond ports of the multiprocessor,
/// whether its guard holds or not. Requires: the tables of a work-conserving policy. Side: upper.
DemandTable demand_beyond_ports(const TimedCode& code, const DemandTables& tables);

/// G of S85, where the certificate is one of barrier intervals beyond a limit: the most that they
/// cost beyond it along a path. None: it is about something else. Requires: a table of x. Side:
/// upper.
std::optional<std::int64_t> most_beyond_limit(const TimedCode& code, const DemandTables& tables,
                                              const std::string& certificate);

/// What the claim says of its warps, against the own count of their executions.
struct ShownWarps {
    std::size_t shown = 0;   ///< The own count does not demand more.
    std::size_t unshown = 0; ///< Left to re-analysis.
};
/// Throws `Finding` where S85 does not hold of the launch, or threads of a warp are sure to execute
/// what demands more than is said of it.
ShownWarps check_demand_of_warps(const TimedCode& code, const DemandTables& tables,
                                 const ClaimRow& claim);

/// Of these sums a claim may be any that says so much of its warps. Side: upper.
std::vector<std::vector<Term>> sums_of_warps(const InterferenceInputs& inputs,
                                             const CertificateValues& values,
                                             const std::vector<WarpRow>& warps);

} // namespace warpbound::certification::verify

#pragma once
/// \file
/// What belongs to one run of the analysis, and not to the launch.

#include "analyzer/request.hpp"
#include "assembly/support/stop_token.hpp"

#include <cstdint>

namespace warpbound::analyzer {

struct AnalysisRun {
    Deadline deadline;                        ///< Of the solver.
    std::uint64_t seed = 1;                   ///< Of the random numbers of the solver.
    CertificateStore* certificates = nullptr; ///< Receives path certificates; none: not kept.

    /// The same run with another deadline.
    [[nodiscard]] AnalysisRun until(Deadline other) const { return {other, seed, certificates}; }
    /// The same run, which keeps no certificates.
    [[nodiscard]] AnalysisRun without_certificates() const { return {deadline, seed, nullptr}; }
};

} // namespace warpbound::analyzer

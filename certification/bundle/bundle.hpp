#pragma once
/// \file
/// A complete bundle: its files, reports, and the requirements checked against its claims.

#include "certification/bundle/inputs.hpp"
#include "certification/bundle/requirement.hpp"
#include "certification/report/report.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// A requirement checked against the claims of one kernel.
struct RequirementResult {
    Requirement requirement;
    std::string kernel; ///< Id; empty when the bundle does not contain the kernel.
    KnownTimes known;
    RequirementVerdict verdict = RequirementVerdict::Undecided;
    std::optional<models::ClockRange> clock{}; ///< That was stated for the kernel.
};

/// A bound that is too far above the worst observed time (`--check`).
struct LooseBound {
    std::string kernel; ///< Id.
    std::string quantity;
    std::int64_t bound = 0;
    std::int64_t worst = 0; ///< Observed.
};

struct Bundle {
    EvidenceFiles files; ///< With the manifest.
    std::string report_id;
    std::vector<Report> reports; ///< One per kernel, in order.
    std::vector<RequirementResult> requirements;
    std::vector<LooseBound> loose;
    /// Ids of kernels with no recorded time that `--check` could compare a bound with.
    std::vector<std::string> without_times;
    bool required = false;      ///< A requirement or the factor of `--check` was stated.
    bool limit_reached = false; ///< A tighter bound may exist: a limit stopped a search.

    /// An observation is outside its bound, a requirement is violated or a bound is too loose.
    [[nodiscard]] bool violated() const;
    /// A limit was reached, a requirement is neither met nor violated, or `--check` had nothing to
    /// compare a bound with.
    [[nodiscard]] bool undecided() const;
    /// "violated", "undecided", "holds"; "none" where nothing was required.
    [[nodiscard]] std::string verdict() const;
};

} // namespace warpbound::certification

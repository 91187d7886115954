#pragma once
/// \file
/// Bounds of a bundle's kernel under the other warp scheduling policies.

#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/inputs.hpp"
#include "certification/report/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

/// One policy. `Unit:` core cycles.
struct PolicyBounds {
    std::string policy;    ///< As `models::to_string` writes it.
    std::string guarantee; ///< "work-conserving", ..
    bool is_own = false;   ///< Whether the kernel's claims are about this policy.
    /// Bounds on the execution time; none where the analyzer refuses.
    std::optional<models::Bounds<models::Cycles>> bounds;
    ClaimKind kind = ClaimKind::BoundUnderAssumptions; ///< Of the bounds.
    std::int64_t unchecked_assumptions = 0;            ///< That the bounds rest on.
    std::string refusal;                               ///< Why there are no bounds.
};

/// Bounds under every policy with its default parameters; the kernel's own policy replaces the
/// default of the same name. `analysis`: of the kernel under its own policy, whose best
/// alternatives count as those of the other policies do. Empty for a launch of one warp, where
/// schedulers have no choice.
std::vector<PolicyBounds> compare_policies(const LoadedInput& input,
                                           const analyzer::Analysis& analysis,
                                           std::uint64_t solver_seed);

/// The content of "policies/K1.json".
Json policies_json(const std::vector<PolicyBounds>& policies);

} // namespace warpbound::certification

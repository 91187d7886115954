#pragma once
/// \file
/// What other warp policies would guarantee for a kernel of a bundle.

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
    bool is_own = false;   ///< The kernel's claims are about this one.
    /// Of the execution time; none where the analyzer refuses.
    std::optional<models::Bounds<models::Cycles>> bounds;
    ClaimKind kind = ClaimKind::BoundUnderAssumptions; ///< Of the bounds.
    std::int64_t unchecked_assumptions = 0;            ///< That they rest on.
    std::string refusal;                               ///< Why there are none.
};

/// Every policy with its default parameters, the kernel's own, whose `analysis` this is, made like
/// those of the others without evidence, in place of the one of its kind. Empty for a launch of one
/// warp, where no scheduler has a choice.
std::vector<PolicyBounds> compare_policies(const LoadedInput& input,
                                           const analyzer::Analysis& analysis,
                                           std::uint64_t solver_seed);

/// The content of "policies/K1.json".
Json policies_json(const std::vector<PolicyBounds>& policies);

} // namespace warpbound::certification

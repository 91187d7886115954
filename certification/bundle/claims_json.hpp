#pragma once
/// \file
/// `claims.json`, the central file of a bundle: every number as a typed claim, the register of
/// assumptions, and the requirements.

#include "certification/bundle/bundle.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/kernel_evidence.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// One register of assumptions for all kernels: assumptions with the same text and status are
/// merged and renumbered A1, A2, ... in the analyses. Requires: called before reports are made.
std::vector<analyzer::Assumption> shared_register(std::vector<KernelEvidence>& kernels);

/// `files`: everything that claims refer to as evidence.
std::string claims_json(const std::vector<KernelEvidence>& kernels,
                        const std::vector<analyzer::Assumption>& assumptions, const Bundle& bundle,
                        const EvidenceFiles& files);

/// A time of a requirement with its unit: "10 ms", "8000 core cycles"; "unknown" without one. The
/// requirement is a part of `claims.json`.
std::string amount(const Json& requirement, const char* key);

/// Ids of the requirements on the kernel and quantity of a claim. Both arguments are parts of
/// `claims.json`.
std::vector<std::string> requirements_on(const Json& claims, const Json& claim);

} // namespace warpbound::certification

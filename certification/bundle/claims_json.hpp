#pragma once
/// \file
/// The centre of a bundle: every number as a typed claim, the register of assumptions,
/// requirements.

#include "certification/bundle/bundle.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/kernel_evidence.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// One register for all kernels: assumptions with the same text and status become one, renumbered
/// A1, A2, ... in the analyses, before reports are made of them.
std::vector<analyzer::Assumption> shared_register(std::vector<KernelEvidence>& kernels);

/// `files`: everything that claims refer to as evidence.
std::string claims_json(const std::vector<KernelEvidence>& kernels,
                        const std::vector<analyzer::Assumption>& assumptions, const Bundle& bundle,
                        const EvidenceFiles& files);

/// Ids of the requirements about what a claim bounds or observed, both from the claims' JSON.
std::vector<std::string> requirements_asking(const Json& claims, const Json& claim);

} // namespace warpbound::certification

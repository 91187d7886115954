#pragma once
/// \file
/// A bundle as one HTML page and as one XML document with the same content.

#include "certification/bundle/kernel_evidence.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// One self-contained page: kernels and machines, guaranteed and observed times, assumptions, the
/// evidence of each number, and each kernel in detail. `claims` is the content of `claims.json`.
std::string evidence_page(const Json& claims, const std::vector<KernelEvidence>& kernels,
                          const BundleInputs& inputs);

/// The same as XML; `schema/timing-evidence.xsd` describes it.
std::string evidence_xml(const Json& claims, const std::vector<KernelEvidence>& kernels,
                         const BundleInputs& inputs);

} // namespace warpbound::certification

#pragma once
/// \file
/// A bundle as one page for people and one document for programs; both say the same.

#include "certification/bundle/kernel_evidence.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// One self-contained page: which kernels on which machine, what is guaranteed, what was seen, what
/// is assumed, where each number comes from, and each kernel in detail. `claims` is the content of
/// `claims.json`.
std::string evidence_page(const Json& claims, const std::vector<KernelEvidence>& kernels,
                          const BundleInputs& inputs);

/// The same as XML; `schema/timing-evidence.xsd` describes it.
std::string evidence_xml(const Json& claims, const std::vector<KernelEvidence>& kernels,
                         const BundleInputs& inputs);

} // namespace warpbound::certification

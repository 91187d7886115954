#pragma once
/// \file
/// Evidence bundles for tests: made from examples, changed, sealed again, verified.

#include "certification/bundle/build.hpp"
#include "certification/verify/verify.hpp"

#include <string>

namespace warpbound::tests {

/// A kernel of the examples folder with simulated runs. `facts`: file in the same folder.
certification::KernelInput example_kernel(const std::string& listing, const std::string& kernel,
                                          const std::string& facts, const std::string& architecture,
                                          const std::string& launch, std::int64_t runs);

certification::verify::Files plain(const certification::EvidenceFiles& files);

/// Makes the files of a bundle again.
Result<certification::verify::Files> rebuild(const certification::verify::Files& files);

/// Digests of evidence in the claims, the manifest, its chain and its root, as an able forger would
/// bring them in line with changed files.
void seal_again(certification::EvidenceFiles& files);

/// The verdict of one step.
certification::verify::StepResult
step_of(const std::vector<certification::verify::StepResult>& steps, const std::string& step);

} // namespace warpbound::tests

#pragma once
/// \file
/// Evidence bundles for tests: made from examples, changed, sealed again, verified.

#include "certification/bundle/build.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/verify/verify.hpp"
#include "harness/device.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace warpbound::tests {

/// A kernel of the examples folder with simulated runs. `facts`: file in the same folder.
certification::KernelInput example_kernel(const std::string& listing, const std::string& kernel,
                                          const std::string& facts, const std::string& architecture,
                                          const std::string& launch, std::int64_t runs);

/// Runs of the input on the simulated device. Throws `std::runtime_error` when it cannot be run.
void add_runs(certification::KernelInput& input, std::int64_t runs,
              harness::Draw draw = harness::Draw::Uniform);

certification::verify::Files plain(const certification::EvidenceFiles& files);

/// Makes the files of a bundle again.
Result<certification::verify::Files> rebuild(const certification::verify::Files& files);

/// Changes the value of a JSON file.
void edit(certification::EvidenceFiles& files, const std::string& path,
          const std::function<void(certification::Json&)>& change);

/// What the terms of a proof add up to.
std::int64_t sum_of_terms(const certification::Json& terms);

/// Gives a value of a description a number, as a test needs it.
void set_value(models::ValueGroup& group, std::string_view name, models::Interval interval);

/// Digests of evidence in the claims, the manifest, its chain and its root, as an able forger would
/// bring them in line with changed files.
void seal_again(certification::EvidenceFiles& files);

/// The verdict of one step.
certification::verify::StepResult
step_of(const std::vector<certification::verify::StepResult>& steps, const std::string& step);

} // namespace warpbound::tests

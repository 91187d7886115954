#pragma once
/// \file
/// The check of a bundle about pipelines: description, times of stages, inequalities, verdict.

#include "certification/verify/options.hpp"
#include "certification/verify/verdict.hpp"

#include <functional>
#include <vector>

namespace warpbound::certification::verify {

/// Whether the manifest says so.
bool is_about_pipelines(const Files& files);

/// Checks the bundle of kernels inside as one step.
using VerifyKernels = std::function<StepResult(const Files&)>;

/// One result per step, in order. Requires: `is_about_pipelines`.
std::vector<StepResult> verify_pipeline(const Files& files, const Options& options,
                                        const VerifyKernels& verify_kernels);

} // namespace warpbound::certification::verify

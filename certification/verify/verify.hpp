#pragma once
/// \file
/// The independent check of a bundle: no GPU, no trust in who wrote it. Shares no code with the
/// analyzer or with what writes bundles, but for the analysis that is run again at the end.

#include "certification/verify/options.hpp"
#include "certification/verify/verdict.hpp"

#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// One result per step, in order.
std::vector<StepResult> verify(const Files& files, const Options& options);

/// Of all steps: tampered before failed before violated before incomplete (for lack of
/// evidence before for a limit) before undecided.
Verdict overall(const std::vector<StepResult>& steps);

/// The last line of a report: "holds" only where something was required and compared.
std::string conclusion_of(const std::vector<StepResult>& steps);

} // namespace warpbound::certification::verify

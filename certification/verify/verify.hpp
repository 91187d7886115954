#pragma once
/// \file
/// The independent check of a bundle: no GPU, no trust in who wrote it. Shares no code with the
/// analyzer or with what writes bundles, but for the analysis that is run again at the end.

#include "assembly/support/result.hpp"
#include "certification/verify/replay.hpp"
#include "certification/verify/verdict.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Makes the files of a bundle again from its inputs.
using Rebuild = std::function<Result<Files>(const Files&)>;

struct Options {
    std::optional<std::string> report_id;  ///< As published elsewhere.
    std::optional<std::string> public_key; ///< 64 hexadecimal digits that must have signed.
    std::chrono::milliseconds solver_limit{60'000}; ///< Per script.
    bool second_solver = false; ///< Without cvc5 the evidence is then incomplete.
    unsigned threads = 1;       ///< For scripts and runs; the verdict does not depend on it.
    ReplayChoice replay{};
    std::string tool_version; ///< Of this tool: another one may make other bytes.
    /// Of this tool: versions by name. Empty: not compared.
    std::map<std::string, std::string> components;
    Rebuild rebuild;
    /// Called before each step with its name; a run that is cut off was in the last one.
    std::function<void(const std::string&)> started;
    /// Called after each step.
    std::function<void(const StepResult&)> finished;
};

/// One result per step, in order.
std::vector<StepResult> verify(const Files& files, const Options& options);

/// Of all steps: tampered before failed before violated before incomplete (for lack of
/// evidence before for a limit) before undecided.
Verdict overall(const std::vector<StepResult>& steps);

/// The last line of a report: "holds" only where something was required and compared.
std::string conclusion_of(const std::vector<StepResult>& steps);

} // namespace warpbound::certification::verify

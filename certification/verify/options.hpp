#pragma once
/// \file
/// What a check of a bundle is told: what was published of it, limits, and this program's analysis.

#include "assembly/amd/code_decoder.hpp"
#include "assembly/support/result.hpp"
#include "certification/verify/replay.hpp"
#include "certification/verify/verdict.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

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
    /// Of AMD's instructions; without one evidence on code of AMD is incomplete.
    const assembly::amd::CodeDecoder* decoder = nullptr;
    /// Called before each step with its name; a run that is cut off was in the last one.
    std::function<void(const std::string&)> started;
    /// Called after each step.
    std::function<void(const StepResult&)> finished;
};

} // namespace warpbound::certification::verify

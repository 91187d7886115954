#pragma once
/// \file
/// Bounds on code that another description names: a stage of a pipeline, a kernel of an
/// application.

#include "analyzer/bound.hpp"
#include "assembly/support/result.hpp"
#include "models/bounds.hpp"
#include "models/launch/launch_identity.hpp"
#include "models/pipeline/system.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

/// File names as seen from the working folder.
struct CodeToBound {
    std::string file;
    std::string kernel;
    std::string flow_facts;
    std::string policy;
    std::string machine;
    std::string launch; ///< As `models::parse_launch` reads it.
    std::string multiprocessors;
    std::vector<std::string> arguments{}; ///< As --arg takes them.
    bool bounds_traffic = false;
};
struct BoundedCode {
    models::Bounds<models::Cycles> cycles;
    std::vector<analyzer::Assumption> assumptions;
    models::LaunchIdentity launched;
    /// Of `CodeToBound::bounds_traffic`; a refusal says why none is known.
    std::optional<Result<models::PerMemory<std::int64_t>>> traffic;
};

/// Refuses what cannot be read or bounded, naming the command that lists what to state. Within the
/// time of the innermost `StopScope`.
Result<BoundedCode> bound_code(const CodeToBound& code);

} // namespace warpbound::cli

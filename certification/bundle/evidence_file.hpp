#pragma once
/// \file
/// A file of an evidence bundle, in memory.

#include <map>
#include <string>

namespace warpbound::certification {

/// Steps in the order in which they produce files; a step may use the files of earlier steps.
inline constexpr const char* evidence_steps[] = {"inputs", "analysis", "checks", "claims",
                                                 "reports"};

struct EvidenceFile {
    std::string role; ///< "listing", "path-certificate", "script", "claims", ...
    std::string step; ///< Which step produced it.
    std::string bytes;
};

/// By path inside the bundle, "analysis/K1/result.json". Without the manifest.
using EvidenceFiles = std::map<std::string, EvidenceFile>;

} // namespace warpbound::certification

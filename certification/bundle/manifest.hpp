#pragma once
/// \file
/// The list of a bundle's files with their digests, the steps that produced them, and one digest
/// over all.

#include "certification/bundle/evidence_file.hpp"

#include <string>

namespace warpbound::certification {

struct Manifest {
    std::string text;      ///< Canonical JSON, to be written as `manifest.json`.
    std::string report_id; ///< Merkle root over all files and steps.
};

/// Format of a bundle about kernels.
inline constexpr const char* kernel_evidence_format = "warpbound-evidence/4";

/// Path, digest, role and step of every file, and one record per step with the digest of the
/// previous record (docs/reference/evidence-format.md).
Manifest manifest_of(const EvidenceFiles& files, const std::string& tool_version,
                     const char* format = kernel_evidence_format);

} // namespace warpbound::certification

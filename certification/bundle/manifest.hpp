#pragma once
/// \file
/// The list of a bundle's files with their digests, how they were produced, and one digest over
/// all.

#include "certification/bundle/evidence_file.hpp"

#include <string>

namespace warpbound::certification {

struct Manifest {
    std::string text;      ///< Canonical JSON, to be written as `manifest.json`.
    std::string report_id; ///< Merkle root over all files and steps.
};

/// Every file's path, digest, role and step; one record per step, each with the digest of the
/// record before (docs/reference/evidence-format.md).
Manifest manifest_of(const EvidenceFiles& files, const std::string& tool_version);

} // namespace warpbound::certification

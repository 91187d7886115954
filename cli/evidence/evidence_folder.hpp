#pragma once
/// \file
/// Evidence bundles on disk.

#include "assembly/support/result.hpp"
#include "certification/bundle/evidence_file.hpp"

#include <map>
#include <string>

namespace warpbound::cli {

/// Creates the folder and writes every file, the manifest last. Refuses a folder that is not empty
/// and, before the first file, what `read_evidence` would refuse.
Result<void> write_evidence(const std::string& folder, const certification::EvidenceFiles& files);

/// Every file below a folder by its path inside it, with `/` between names. Refuses links, files
/// that are not regular, a file of more than 64 MiB, more than 100,000 files or 256 MiB, and
/// folders nested deeper than 8.
Result<std::map<std::string, std::string>> read_evidence(const std::string& folder);

} // namespace warpbound::cli

#pragma once
/// \file
/// How this program checks a bundle: the verifier, with this program's own analysis behind it.

#include "certification/bundle/bundle.hpp"
#include "certification/verify/verify.hpp"

#include <map>
#include <string>

namespace warpbound::cli {

/// Version and components of this program, and its re-analysis. All else as it is by default.
certification::verify::Options checks_of_this_program();

/// Holds evidence that was just made against the steps of `verify` that read claims, tables and
/// code (`schema`, `structure`, `execution`). Refuses what fails there: its claims do not follow
/// from it, or a thread contradicts what they rest on.
Result<void> check_own_evidence(const certification::EvidenceFiles& files);

/// Reads an older bundle and checks it. Refuses one that was tampered with, whose claims do not
/// follow from its evidence, or that cannot be read. A bundle that another version made passes
/// where only its re-analysis differs.
Result<certification::verify::Files> read_checked_baseline(const std::string& folder);

} // namespace warpbound::cli

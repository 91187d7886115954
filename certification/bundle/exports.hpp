#pragma once
/// \file
/// The claims of a bundle in the formats of other tools.

#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/evidence_file.hpp"
#include "certification/bundle/inputs.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

// `claims` is the content of `claims.json`.

/// SARIF 2.1.0: one result per claim that was compared, requirement and unchecked assumption.
std::string sarif_of(const Json& claims, const std::string& tool_version);
/// JUnit XML: one test case per bound with observations, and per requirement.
std::string junit_of(const Json& claims);
/// in-toto Statement v1 with the predicate test-result v0.1: what was claimed about which files.
/// Not signed by itself.
std::string attestation_of(const Json& claims, const EvidenceFiles& files);
/// CycloneDX 1.5.
std::string bill_of_materials(const std::string& tool_version,
                              const std::vector<Component>& components);
/// Draft for tool confidence (ISO 26262-8, 11) and tool qualification (DO-330): statements of the
/// tool, and items that the user must complete.
std::string qualification_worksheet(const std::string& tool_version);

/// The argument in Goal Structuring Notation: goals, strategies, solutions, contexts, assumptions;
/// undeveloped goals are marked. As JSON and as a drawing (SVG).
Json argument_of(const Json& claims);
std::string drawing_of_argument(const Json& argument);

} // namespace warpbound::certification

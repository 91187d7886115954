#pragma once
/// \file
/// The register of assumptions as markup, grouped by who can confirm them.

#include "certification/page/html_parts.hpp"
#include "certification/report/report.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// A row of the register.
struct RegisterRow {
    std::string id;
    std::string subject; ///< As `to_string(analyzer::AssumptionSubject)`.
    std::string status;
    std::string text;
    std::string claims;   ///< Ids of the claims that rest on it; empty: not shown for any row.
    std::string stages{}; ///< Stages of pipelines that it speaks of; likewise.
};

/// A table per subject, then the values of the description that the assumptions are about, and what
/// no number includes.
std::string assumption_groups(const std::vector<RegisterRow>& rows,
                              const std::vector<MachineValue>& values,
                              const std::vector<std::string>& limitations,
                              const SectionScope& scope);

/// The rows of assumptions without their claims.
std::vector<RegisterRow> register_rows(const std::vector<analyzer::Assumption>& assumptions);

} // namespace warpbound::certification

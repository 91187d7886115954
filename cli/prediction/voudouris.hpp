#pragma once
/// \file
/// The Voudouris formula as commands use it: which costs, for which machine.

#include "models/architecture/architecture.hpp"
#include "models/formulas/voudouris.hpp"

#include <string>

namespace warpbound::cli {

/// `table-7`, `reconstruction-a` or `description`; empty chooses Table 7 for Fermi and the
/// description otherwise. Refuses the published Fermi costs for a machine of another generation.
Result<models::voudouris::Parameters>
voudouris_parameters(const std::string& name, const models::Architecture& architecture);

} // namespace warpbound::cli

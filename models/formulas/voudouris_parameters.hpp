#pragma once
/// \file
/// The costs of the Voudouris formula for a machine that the thesis did not measure, from its
/// description.

#include "models/architecture/architecture.hpp"
#include "models/formulas/voudouris.hpp"

namespace warpbound::models::voudouris {

/// Estimate, not a bound. Costs per class as the description states them (typical values, the upper
/// end where there is none): independent = interval between instructions of a warp, dependent =
/// latency of a float addition, shared loads and stores = latency of a load, occupancy of a store,
/// global loads = smallest and DRAM latency, global stores = occupancy of the port. The thesis
/// measured its costs on one Fermi card; that other machines may be described so is our extension.
/// Unit: core cycles. Refuses a description that lacks one of these values, naming it.
Result<Parameters> parameters_from(const Architecture& architecture);

} // namespace warpbound::models::voudouris

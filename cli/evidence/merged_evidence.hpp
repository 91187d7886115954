#pragma once
/// \file
/// The kernels of a plan from the evidence bundles that its shards wrote.

#include "certification/bundle/inputs.hpp"
#include "cli/inputs/kernel_plan.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

/// The inputs of all kernels of the plan, with the runs that the shards simulated, in the order of
/// the plan. Refuses, naming folder or point: a bundle whose files are not those it lists, or that
/// another version made; a kernel in two bundles; one that the plan does not have; one of the plan
/// that no bundle has; kernels with other runs than the first.
Result<std::vector<certification::KernelInput>>
merge_evidence(const std::vector<std::string>& folders, const std::vector<PlannedKernel>& plan);

} // namespace warpbound::cli

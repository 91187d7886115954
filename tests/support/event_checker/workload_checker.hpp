#pragma once
/// \file
/// Checks the events of a workload's run against docs/reference/timing-contract.md, from the
/// kernels, the operations and the description alone.

#include "tests/support/event_checker/recorded_workload.hpp"

#include <string>
#include <vector>

namespace warpbound::tests {

/// Violations found, as `violations` of a launch gives them.
/// Checked over all launches: C32, C33, C34 (order, nothing but the first launch, launch cost,
/// starts of blocks, no SM with room left waiting), C30 and C31 with the blocks of all launches,
/// C36, the end of each operation, ports and write buffers that launches share (C7, C8), issue
/// slots; and of each launch what `violations` checks of each warp, lane and barrier, and its
/// completion (C2). Not checked: operand collectors, caches, and the order of choices.
std::vector<std::string> violations(const harness::Workload& workload,
                                    const models::Architecture& machine,
                                    const models::WarpPolicy& policy, const RecordedWorkload& run);

} // namespace warpbound::tests

#pragma once
/// \file
/// Checks the events of a workload's run against docs/reference/timing-contract.md, from the
/// kernels, the operations and the description only.

#include "tests/support/event_checker/recorded_workload.hpp"

#include <string>
#include <vector>

namespace warpbound::tests {

/// The violations found, as `violations` of a launch returns them. Checked:
///
/// - over all launches: C32, C33, C36 and the end of each operation;
/// - C34: FIFO order, dispatch of the first launch only, launch cost, starts of blocks, no block
///   that waits although it fits an SM;
/// - C30 and C31 with the blocks of all launches;
/// - C7, C8, C19: ports, write buffers and issue slots that launches share;
/// - of each launch: its warps, lanes and barriers as `violations` checks them, and its completion
///   (C2).
///
/// Not checked: operand collectors, caches, and the order of choices.
std::vector<std::string> violations(const harness::Workload& workload,
                                    const models::Architecture& machine,
                                    const models::WarpPolicy& policy, const RecordedWorkload& run);

} // namespace warpbound::tests

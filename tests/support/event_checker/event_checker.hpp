#pragma once
/// \file
/// Checks the events of a run against docs/reference/timing-contract.md, rule by rule, from the
/// program and the description alone: no code of the simulator but the events themselves.

#include "tests/support/event_checker/recorded_run.hpp"

#include <string>
#include <vector>

namespace warpbound::tests {

/// Violations found, in words that begin with the rule ("C7: .."); empty when all rules hold. At
/// most 20 are given.
/// Checked: C1, C20, C30, C31 (starts, places, room, greedy dispatch in order, replacement), C2
/// (end and execution time), C4 to C9, C10, C12 to C16, caches and DRAM replayed from their events
/// with the result times of loads (C24 to C29), fetch and operand collectors (C43 to C50, but not
/// whether something could have moved sooner), for every lane that its path follows the
/// graph and the flow facts (C18) and where lanes part and meet (C37 to C41), but not which of
/// those that part go on first; one choice per issue slot, and of C19 whether a scheduler stays
/// idle under work-conserving policies and chooses in order under lrr, gto, oldest and srr; the
/// slots of variable-rate without `conserving` on one SM; of two-level the size of the active set,
/// its order and whether it leaves a scheduler idle, as far as a log shows who is active. Of a run
/// that followed a trace: instructions, lanes and passes against the trace (C54 to C56) in place of
/// C18 and C38 to C40. Requires: the simulator accepts the kernel on this machine.
std::vector<std::string> violations(const harness::Kernel& kernel,
                                    const models::Architecture& machine,
                                    const models::WarpPolicy& policy, const RecordedRun& run);

} // namespace warpbound::tests

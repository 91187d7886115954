#pragma once
/// \file
/// Checks the events of a run against docs/reference/timing-contract.md, rule by rule, from the
/// program and the description only. It uses no code of the simulator except the event types.

#include "tests/support/event_checker/recorded_run.hpp"

#include <string>
#include <vector>

namespace warpbound::tests {

/// The violations found, at most 20, each beginning with its rule ("C7: .."); empty when all rules
/// hold. Requires: the simulator accepts the kernel on this machine.
///
/// | rules | checked |
/// |---|---|
/// | C1, C20, C30, C31, C98 | starts, warp slots, occupancy, dispatch in order and by room,
/// replacement | | C2 | end and execution time | | C4 to C10, C12 to C16, C85 | all | | C18, C37 to
/// C41 | path and reconvergence of each lane; not which path runs first | | C19 | one choice per
/// issue slot | | C19, work-conserving | no idle scheduler; order of choices under lrr, gto, gty,
/// oldest | | C19, srr | order of choices | | C19, variable-rate | time slots, without
/// `conserving`, on one SM | | C19, two-level | size, order and idling of the active set, as far as
/// the log shows | | C24 to C29 | caches and DRAM, replayed from their events; result times of
/// loads | | C43 to C50 | all, except whether an instruction could have advanced sooner | | C60 to
/// C62 | all | | C54 to C56 | with a trace: instructions, lanes, passes; replaces C18, C38 to C40 |
///
/// Of AMD's code also C99 and C103 (order of release, waits of counters, S_NOP), C104 (residency of
/// single wavefronts), C106 (S_SLEEP), C107 (parts of the pipeline); C100 and C105 as far as C10,
/// C12 and C13 are theirs.
std::vector<std::string> violations(const harness::Kernel& kernel,
                                    const models::Architecture& machine,
                                    const models::WarpPolicy& policy, const RecordedRun& run);

} // namespace warpbound::tests

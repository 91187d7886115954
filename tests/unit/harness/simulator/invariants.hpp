#pragma once
/// \file
/// Checks the events of a run against docs/timing-contract.md, rule by rule, without any code of
/// the simulator.

#include "harness/simulator/event.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <string>
#include <vector>

namespace warpbound::harness::simulator::test {

/// Violations found, in words; empty when all rules hold. `work_conserving`: no warp that may issue
/// waits while its scheduler is idle.
/// Sound when: no instruction issues twice in a warp (no loops), all blocks fit, and the machine's
/// gaps, initiations, passes, pass costs and source reads are exact.
std::vector<std::string> violations(const TestProgram& program, const models::Architecture& machine,
                                    models::Launch launch, const std::vector<Event>& events,
                                    bool work_conserving = true);

} // namespace warpbound::harness::simulator::test

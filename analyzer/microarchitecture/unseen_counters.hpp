#pragma once
/// \file
/// Scoreboards whose latest operation an instruction need not see (rule C85 of
/// docs/reference/timing-contract.md; docs/theory, S45).

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Per instruction, a mask: the scoreboards on which the instruction before it on the path of a
/// lane may begin an operation for which it does not wait. Empty masks where the machine does not
/// describe the delay of increments. Side: errs towards more scoreboards.
std::vector<unsigned>
unseen_counters(const assembly::Function& function, const models::Architecture& architecture,
                const std::vector<Result<models::InstructionTiming>>& timings);

/// The same of the instruction that the warp issued before it, for any of its lanes (C39).
std::vector<unsigned>
unseen_by_warps(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                const models::Architecture& architecture,
                const std::vector<Result<models::InstructionTiming>>& timings);

} // namespace warpbound::analyzer

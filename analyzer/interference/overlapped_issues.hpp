#pragma once
/// \file
/// Instructions that issue while an earlier one of their warp holds the port of its unit: their
/// demand lies in the occupancy of that port (docs/theory, S98).

#include "analyzer/interference/instruction_costs.hpp"
#include "analyzer/launch/scheduled_launch.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// What demand on the own scheduler need not count twice.
struct OverlappedIssues {
    InstructionCosts demand;            ///< Of each instruction, less what its occupancy contains.
    std::int64_t longest_occupancy = 0; ///< Of a port whose occupancy contains others; 0: none.
};

/// `own`: demand on the own scheduler (S11, S33), which is unchanged where S98 says nothing. Side:
/// upper. Sound when: the sums that count it count all instructions of a block of the code.
OverlappedIssues without_overlapped_issues(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                           const InstructionCosts& own);

} // namespace warpbound::analyzer

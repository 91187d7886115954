#pragma once
/// \file
/// Demand that lies in the time for which an instruction of the same warp holds a port (step S98 of
/// docs/theory). Shares no code with the analysis.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// Takes from the demand of each instruction on its own scheduler what of its warp is sure to issue
/// while it holds its port. Requires: the demand of S11, with that of S33. Side: upper.
void subtract_from_holders(const TimedCode& code, DemandTables& tables);

/// The longest time of a port in which S98 puts other demand; 0: none. Side: upper.
std::int64_t longest_hold(const TimedCode& code);

} // namespace warpbound::certification::verify

#pragma once
/// \file
/// Register reads of instructions through the ports of their banks (rules C57 to C59 of
/// docs/reference/timing-contract.md), as steps S33 of docs/soundness.md counts them.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// What the machine of a kernel says about its read ports.
struct ReadPortValues {
    std::int64_t banks = 1;
    std::int64_t window = 1;
    std::int64_t reuse_slots = 0;
};

/// Requires: the machine has read ports. Throws `Finding` where a value is absent or not supported.
ReadPortValues read_port_values(const KernelCase& kernel);

/// m of S33: cycles between grants that the reads of an instruction need, 0 where it does not pass
/// Allocate; per instruction, where it can be reached. Side: upper.
DemandTable grant_spacing(const TimedCode& code);
/// The larger of m and, for an instruction of a unit with latches, the longest use of such a latch
/// by an instruction of fixed latency. All 0 when no grant ever lags. Side: upper.
DemandTable grant_distances(const TimedCode& code);
/// The longest lag of a grant. Side: upper.
std::int64_t longest_grant_lag(const TimedCode& code);
/// Registers that are read from a bank in every run. Side: lower.
DemandTable certain_reads(const TimedCode& code, std::int64_t bank);

} // namespace warpbound::certification::verify

#pragma once
/// \file
/// Register reads of instructions through the ports of their banks (rules C60 to C62 of
/// docs/reference/timing-contract.md), as steps S33 of docs/theory counts them.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// Adds the demand of register reads to that of work-conserving policies, where the machine has
/// read ports: c of S33, and the reads of each bank in every run. Throws `Finding` where a value of
/// the description is absent or not supported.
void add_read_port_demand(const TimedCode& code, DemandTables& tables);
/// The longest lag of a grant. Side: upper.
std::int64_t longest_lag(const TimedCode& code);
/// Per instruction: the larger of m and O of S33; all 0 where no grant ever lags, as on a machine
/// without read ports. Throws `Finding` as above. Side: upper.
DemandTable cycles_per_grant(const TimedCode& code);

/// Cycles after a grant in which its reads take place. Requires: the machine has read ports.
std::int64_t read_window(const TimedCode& code);

/// S69: throws `Finding` where the description has write ports of another kind than C108, or an
/// instruction whose result the rule refuses.
void require_provable_results(const TimedCode& code);

/// S73: throws `Finding` where the description has reads of variable latency of another kind than
/// C111, or beside a memory queue, or an instruction whose reads the rule refuses.
void require_provable_reads(const TimedCode& code);

} // namespace warpbound::certification::verify

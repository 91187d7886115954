#pragma once
/// \file
/// For how long a launch waits at caches, links and DRAM beyond the unloaded latencies
/// (docs/soundness.md, S21).

#include "analyzer/problem.hpp"

namespace warpbound::analyzer {

/// Terms to add to an upper bound of `unloaded` cycles, in which every load through the caches has
/// the largest latency of the levels and no access waits for another. Side: upper. Requires:
/// `problem.caches`.
std::vector<BoundTerm> waits_beside_misses(const Problem& problem, models::Cycles unloaded);

/// The same where every load has the latency of the L1. Requires: `transactions` of
/// `problem.touched`.
std::vector<BoundTerm> waits_beside_hits(const Problem& problem, models::Cycles unloaded);
/// The problem in which it has.
Problem with_hits(const Problem& problem);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// For how long a launch waits at caches, links and DRAM beyond the unloaded latencies
/// (docs/soundness.md, S21).

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"
#include "models/units.hpp"

namespace warpbound::analyzer {

/// How waiting for banks of DRAM is counted.
enum class RowDelay {
    WholeTransfers, ///< One transfer after another.
    InTheWay,       ///< Rows that others open, for each access that waits (S22).
    InOrder,        ///< Rows that the lines of each load open, once for the launch (S22c).
};
/// Ways to count them; each gives an upper bound.
struct QueueingRules {
    bool hits = false; ///< Loads have the latency of the L1, misses count on their own.
    RowDelay rows = RowDelay::WholeTransfers;
    bool ports = false; ///< Waits for the ports of loads count in the order of their lines (S22d).
};
/// Those that the addresses and the description allow. Requires: `context.caches`.
std::vector<QueueingRules> queueing_rules(const AnalysisContext& context);

/// The problem without waits to which the waits are added: its latencies are those of the rules.
AnalysisContext without_queueing(const AnalysisContext& context, QueueingRules rules);
/// Terms to add to an upper bound of `unloaded` cycles of that problem. Side: upper.
std::vector<BoundTerm> queueing_delay(const AnalysisContext& context, QueueingRules rules,
                                      models::Cycles unloaded);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// For how long a launch waits at caches, links and DRAM beyond the unloaded latencies
/// (docs/soundness.md, S21).

#include "analyzer/launch/context.hpp"

namespace warpbound::analyzer {

/// How waiting for banks of DRAM is counted.
enum class RowWaits {
    WholeTransfers, ///< One transfer after another.
    InTheWay,       ///< Rows that others open, for each access that waits (S22).
    InOrder,        ///< Rows that the lines of each load open, once for the launch (S22c).
};
/// Ways to count them; each gives an upper bound.
struct WaitRules {
    bool hits = false; ///< Loads have the latency of the L1, misses count on their own.
    RowWaits rows = RowWaits::WholeTransfers;
    bool ports = false; ///< Waits for the ports of loads count in the order of their lines (S22d).
};
/// Those that the addresses and the description allow. Requires: `problem.caches`.
std::vector<WaitRules> wait_rules(const Problem& problem);

/// The problem without waits to which the waits are added: its latencies are those of the rules.
Problem without_waits(const Problem& problem, WaitRules rules);
/// Terms to add to an upper bound of `unloaded` cycles of that problem. Side: upper.
std::vector<BoundTerm> waits_of(const Problem& problem, WaitRules rules, models::Cycles unloaded);

} // namespace warpbound::analyzer

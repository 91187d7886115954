#pragma once
/// \file
/// By which arguments the waits of accesses through caches are bounded where addresses are known
/// (docs/theory, S22 to S22f, S57, S58).

namespace warpbound::analyzer {

/// How row activations of DRAM are counted.
enum class RowDelay {
    WholeTransfers,   ///< As part of each transfer, one transfer after another.
    PerWaitingAccess, ///< Rows that other accesses activate, for each waiting access (S22).
    OncePerLaunch,    ///< Rows that the lines of each load activate, once for the launch (S22c).
};
/// Alternatives of the bound; each is an upper bound.
struct QueueingRules {
    bool hits = false; ///< Loads have the latency of an L1 hit; misses count as terms.
    RowDelay rows = RowDelay::WholeTransfers;
    bool ports = false; ///< The port of the loads is a server of the tandem (S22d).
};

} // namespace warpbound::analyzer

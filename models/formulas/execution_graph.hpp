#pragma once
/// \file
/// The executed instructions of one warp as a graph: its critical path is the latency that Volkov's
/// model divides the occupancy by.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/units.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace warpbound::models::volkov {

/// `to` starts at least `latency` after `from`. Requires: from < to.
struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    Cycles latency;
};

/// Node k is the k-th executed instruction; the last node is the end of the warp.
struct ExecutionGraph {
    std::size_t nodes = 0;
    std::vector<Edge> edges;
};

enum class Branch { None, Taken, NotTaken };

/// One executed instruction.
struct Executed {
    Cycles latency;                       ///< From its issue to the use of its result.
    std::vector<std::size_t> producers{}; ///< Earlier instructions whose results it reads.
    Branch branch = Branch::None;
    bool dual_issued = false; ///< Issued together with the instruction before it.
};

/// Costs of order and control.
/// Source: Gajger 2017, 5.2.2 and Table 4.2. The gap and the taken branch are assumed there after
/// Kepler, and so is the replacement (150 on Maxwell, 201 on Kepler).
struct OrderCosts {
    Cycles issue_gap{3}; ///< Between instructions of a warp that follow each other.
    Cycles branch_taken{12};
    Cycles branch_not_taken{10};
    Cycles block_replacement{150}; ///< From the last instruction to the end.
};

/// The graph of a straight line of executed instructions: program order, dependences, and the end.
/// An edge out of a branch has the latency of the branch.
/// Source: Gajger 2017, 5.2.2. Refuses no instructions, producers that are not earlier, negative
/// latencies, and a first instruction that is dual-issued.
Result<ExecutionGraph> graph_of(std::span<const Executed> instructions, const OrderCosts& costs);

struct CriticalPath {
    Estimate<Cycles> length;        ///< latency_bound.
    std::vector<std::size_t> nodes; ///< From a node that waits for nothing to the last node.
};

/// Longest path to the last node.
/// Unit: core cycles. Side: lower on the time of the warp when every latency is the least one;
/// otherwise an estimate. Source: Gajger 2017, 4.1 and 5.2.2, after Volkov 2016.
/// Refuses an empty graph, edges that do not lead forward, and negative latencies.
/// Errors: `std::overflow_error`.
Result<CriticalPath> critical_path(const ExecutionGraph& graph);

} // namespace warpbound::models::volkov

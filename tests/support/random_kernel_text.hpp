#pragma once
/// \file
/// A random kernel as text, and the options of its generator.

#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// A kernel as text, with facts that bound all its loops. The same seed gives the same kernel.
struct RandomKernel {
    std::string text;
    models::FlowFacts facts;                 ///< `program_digest` is left empty.
    bool pops_in_branches = false;           ///< A path of a branch ends with BRK or CONT.
    bool has_several_loop_exits = false;     ///< Lanes may diverge at several exits of a loop.
    bool has_loop_exits_in_branches = false; ///< Lanes may exit a loop from within a branch.
    bool leaves = false; ///< Some lanes may leave a convergence barrier by BREAK.
    bool diverges_at_multiway_branches = false; ///< Lanes may diverge at a multi-way branch.
};

struct RandomKernelOptions {
    int sm = 20;         ///< 20 (interlocked), 52, 75 or 90 (with random control fields).
    int statements = 12; ///< About how many statements at the top level.
    int depth = 3;       ///< Nesting of loops and branches.
    std::int64_t max_iterations = 6;
    bool memory = true;        ///< Loads and stores, shared and global.
    bool predicates = true;    ///< Guarded instructions and guarded exits.
    bool further_facts = true; ///< Sometimes `never`, `exclusive` and linear facts.
    bool clock_reads = true;   ///< Two in half of the kernels, with statements in between.
    bool divergence = false;   ///< Lanes may diverge, with and without stated reconvergence points.
    bool breaks = false; ///< With divergence: PBK and PCNT without loops; from sm_70 on lanes leave
                         ///< points of BSSY by BREAK.
    /// With divergence, from sm_70 on: mostly loops that lanes exit from within branches by BREAK.
    bool loop_exits_in_branches = false;
    bool tables = false;   ///< Branches with tables of targets.
    bool patterns = false; ///< Address patterns; for global accesses only where `l1/line` is known.
    bool caches = false;   ///< With patterns: global accesses with a pattern go through the caches.
    bool barriers =
        false; ///< Barriers that all paths execute equally often; then no guarded exits.
    /// With barriers: others that depend on branches and on how often loops iterate, which the
    /// warps of a block decide alike.
    bool conditional_barriers = false;
    bool early_ends = false; ///< With barriers: guarded exits all the same.
    bool calls = false; ///< Below sm_70: calls of subroutines, sometimes from several call sites.
    bool count_facts =
        false; ///< A linear fact on the counts of two blocks, where two can be drawn.
};

} // namespace warpbound::tests

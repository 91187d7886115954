#pragma once
/// \file
/// A random kernel as text, and what it may consist of.

#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// A kernel as text with facts that bound all its loops. The same seed gives the same kernel.
struct RandomKernel {
    std::string text;
    models::FlowFacts facts;        ///< `program_digest` is left empty.
    bool breaks_out = false;        ///< A way of a branch ends with BRK or CONT.
    bool leaves_at_several = false; ///< Lanes may part where some leave a loop in its middle.
    bool breaks_loops = false;      ///< Lanes may leave a loop from inside a branch.
    bool leaves = false;            ///< Lanes may part where some of them leave a point by BREAK.
    bool parts_to_several = false;  ///< Lanes may part at a branch with a table of targets.
};

struct RandomKernelOptions {
    int sm = 20;         ///< 20 (interlocked), 52, 75 or 90 (control fields are made up at random).
    int statements = 12; ///< About how many statements at the top level.
    int depth = 3;       ///< Nesting of loops and branches.
    std::int64_t max_iterations = 6;
    bool memory = true;        ///< Loads and stores, shared and global.
    bool predicates = true;    ///< Guarded instructions and guarded exits.
    bool further_facts = true; ///< Sometimes never, exclusive and linear facts.
    bool clock_reads = true;   ///< Two in half of the kernels, with statements in between.
    bool divergence = false;   ///< Lanes may part, with and without points where they meet.
    bool breaks = false; ///< With divergence: points of PBK and PCNT without loops, from sm_70 on
                         ///< of BSSY that lanes leave by BREAK.
    /// With divergence, from sm_70 on: mostly loops that lanes leave from inside branches by BREAK.
    bool broken_loops = false;
    bool tables = false;   ///< Branches with tables of targets.
    bool patterns = false; ///< Of addresses; of global ones only where `l1/line` is known.
    bool caches = false;   ///< With patterns: those of global accesses lead through the caches.
    bool barriers = false; ///< That all paths pass equally often; then no guarded exits.
    bool calls = false;    ///< Below sm_70: of subroutines, sometimes from several places.
    bool facts_on_counts = false; ///< One on counts of two blocks, where two can be drawn.
};

} // namespace warpbound::tests

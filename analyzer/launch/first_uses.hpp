#pragma once
/// \file
/// In which order the lines of a text are first looked up in an instruction cache, and how many
/// misses can follow one another (docs/theory, S36, lemmas 4 to 6).

#include "assembly/flow/control_flow_graph.hpp"
#include "models/sourced.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Lines that follow each other in the text.
struct Lines {
    std::int64_t first = 0; ///< Number of the line: address over bytes of a line.
    std::int64_t count = 0;
};

/// The lines with a reachable instruction.
struct FirstUses {
    std::int64_t lines = 0;
    /// Whoever executes an instruction of a line has executed one of the line before it in the
    /// chain.
    std::vector<Lines> chains;
    /// Pieces of chains. A warp that first uses a line of a run, and then another line for the
    /// first time, so uses the one behind it in the run.
    std::vector<Lines> runs;
};

/// Lines with a reachable instruction, ascending. `line`: bytes of a line.
std::vector<std::int64_t> executed_lines(const assembly::Function& function,
                                         const assembly::ControlFlowGraph& graph,
                                         std::int64_t line);

/// Chains and runs as long as they can be, in the order of the text. `graph`: has a path for each
/// sequence of blocks of a warp. The time grows with lines times blocks.
FirstUses first_uses(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                     std::int64_t line);

/// The lines with a reachable instruction that some path from the entry to an end avoids.
/// `graph`: of the paths of some lane of each warp. `line`: bytes of a line. The time grows with
/// lines times blocks.
std::vector<std::int64_t> avoidable_lines(const assembly::Function& function,
                                          const assembly::ControlFlowGraph& graph,
                                          std::int64_t line);

/// Whose waits for lines count on a scheduler.
enum class Waiting {
    OnlyWarp, ///< The scheduler has one warp in the launch.
    OneOf,    ///< One warp at each time, of several.
    AnyOf     ///< All times in which some warp waits.
};

/// On one scheduler, at most. Side: upper.
struct SerialMisses {
    std::int64_t requests = 0; ///< To the L1.
    /// Misses of the L0 that are waited for one after the other: each until the last of the lines
    /// that it requests is there.
    std::int64_t l0 = 0;
    /// Misses of the L1 that are waited for one after the other, where the transfer to the L0
    /// counts for each line.
    std::int64_t l1 = 0;
};

/// `stream`: how many lines a miss of the L0 requests behind its own; whatever the number is. Sound
/// when: the lines persist in the L0, and for `l1` in the L1.
SerialMisses serial_misses(const FirstUses& uses, const models::Interval& stream, Waiting waiting);

/// Misses of the L0s of a multiprocessor that are the first ones to request some executed line, at
/// most (S36, lemma 6). Side: upper. `schedulers`: of the multiprocessor, with warps. Sound when:
/// as for `serial_misses`.
std::int64_t first_requests(const FirstUses& uses, const models::Interval& stream,
                            std::int64_t schedulers);

} // namespace warpbound::analyzer

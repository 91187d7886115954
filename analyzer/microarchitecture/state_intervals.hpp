#pragma once
/// \file
/// What may be outstanding at a place of the program, seen from the issue before it, whatever
/// happened earlier.

#include "analyzer/microarchitecture/span.hpp"

#include <optional>

namespace warpbound::analyzer {

/// Side: `lower` and `upper` enclose every remaining time that can occur. They are not the states
/// of the two bounds: those may issue early and late, these may not (docs/soundness.md, S9).
struct StateInterval {
    PipelineState lower;
    PipelineState upper;
};

/// What may be outstanding at the entries of blocks.
struct Outstanding {
    /// `Shape:` entries[block]; nothing where no path leads.
    std::vector<std::optional<StateInterval>> entries;
    /// `Shape:` beyond_gap[block][slot]: how much later than the earliest issue by the gap a slot's
    /// time is at most. `Unit:` core cycles; 0 or less: it delays nothing there.
    std::vector<std::vector<std::int64_t>> beyond_gap;
};

/// Over all paths from a span's start that avoid `never`. `from`: encloses the span's state.
/// Sound when: both pipelines have the same number of write-buffer entries, that of the machine.
Outstanding outstanding(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                        const PipelineModel& upper, const std::vector<bool>& never,
                        const Span& span, const StateInterval& from);

/// Right behind the issue of `instruction` in `block`, whose entry is known.
StateInterval behind(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                     const PipelineModel& upper, StateInterval entry, std::size_t block,
                     std::size_t instruction);

/// For how long a warp is not ready at most, whatever others do to it. `Unit:` core cycles.
struct LongestStalls {
    /// `Shape:` instructions[instruction]: from the issue before it on; 0 where no path leads.
    std::vector<std::int64_t> instructions;
    std::int64_t completion = 0; ///< From the issue of its last EXIT to completion (C2).
};

/// Over all paths that avoid `never`, of a warp whose instructions others may delay for any time.
/// Side: upper. Sound when: both pipelines have the same number of write-buffer entries.
LongestStalls longest_stalls(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                             const PipelineModel& upper, const std::vector<bool>& never,
                             std::size_t instructions);

} // namespace warpbound::analyzer

#pragma once
/// \file
/// Interval abstraction of the pipeline state: what may be outstanding at a program point, counted
/// from the issue before it, on whichever path.

#include "analyzer/microarchitecture/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// `lower` and `upper` enclose every remaining time that can occur. They differ from the states of
/// the two bounds, which only need to be early or late as a whole (docs/theory, S9).
struct StateInterval {
    PipelineState lower;
    PipelineState upper;
};

/// What may be outstanding at the entries of blocks.
struct Outstanding {
    /// None where no path leads.
    PerBlock<std::optional<StateInterval>> entries;
    /// `Shape:` beyond_gap[block][component]: how much later than the earliest issue by the gap the
    /// component is at most. `Unit:` core cycles; 0 or less: it delays nothing there.
    PerBlock<std::vector<std::int64_t>> beyond_gap;
};

/// Over all paths from a span's start that avoid `never`. `from`: encloses the span's state.
/// Sound when: both pipelines have the same number of write-buffer entries, that of the machine.
Outstanding outstanding(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                        const PipelineModel& upper, const PerBlock<bool>& never, const Span& span,
                        const StateInterval& from);

/// The state right after the issue of `instruction` in `block`, from that at the block's entry.
StateInterval state_after(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                          const PipelineModel& upper, StateInterval entry, BlockIndex block,
                          std::size_t instruction);

} // namespace warpbound::analyzer

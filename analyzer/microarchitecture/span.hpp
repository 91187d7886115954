#pragma once
/// \file
/// The part of a warp's run that a path problem is about.

#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <cstddef>
#include <optional>

namespace warpbound::analyzer {

/// Which part of a run is bounded: from the entry to completion (C2), or between two instructions.
struct Span {
    struct Stop {
        std::size_t block = 0;
        std::size_t instruction = 0; ///< Whose issue ends the span.
    };
    std::size_t block = 0; ///< In no loop, unless the span starts at the entry.
    std::size_t next = 0;  ///< First instruction that is issued; may be behind the block.
    PipelineState state;   ///< Since the issue before; the gap is set.
    std::optional<Stop> stop;
    bool ends_at_exit = false; ///< At the issue of the EXIT, not at completion. Lower side only.
};

/// From the entry to completion.
Span whole_run(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline);

} // namespace warpbound::analyzer

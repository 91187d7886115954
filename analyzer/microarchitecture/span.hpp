#pragma once
/// \file
/// The part of a warp's run that a path problem is about.

#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "assembly/flow/block_index.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <cstddef>
#include <optional>

namespace warpbound::analyzer {

using assembly::BlockIndex;
using assembly::PerBlock;

/// The part of a run that is bounded: from the entry to completion (C2), or between two
/// instructions.
struct Span {
    struct Stop {
        BlockIndex block;
        std::size_t instruction = 0; ///< The span ends with its issue.
    };
    BlockIndex block;     ///< In no loop, unless the span starts at the entry.
    std::size_t next = 0; ///< First instruction that is issued; may be after the block.
    PipelineState state;  ///< Counted from the issue before; the gap is set.
    std::optional<Stop> stop;
    bool ends_at_exit =
        false; ///< The span ends at the issue of the EXIT, not at completion. Lower side only.
};

/// From the entry to completion.
Span whole_run(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline);

} // namespace warpbound::analyzer

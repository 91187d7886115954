#pragma once
/// \file
/// What a path says: counts, cycles per block and instruction, and why time
/// passes.

#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "analyzer/path/compressed_path.hpp"
#include "assembly/flow/control_flow_graph.hpp"

namespace warpbound::analyzer {

/// Fills the witness part of a side's result by stepping the pipeline along the path; `proved`,
/// `outcome` and `proof` are left alone. When the steps do not repeat within a fixed memory, only
/// the blocks' counts are filled.
void replay_path(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                 const PipelineModel& pipeline, const BlockPath& path, SideResult& result);

} // namespace warpbound::analyzer

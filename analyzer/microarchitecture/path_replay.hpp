#pragma once
/// \file
/// Replay of a worst-case (best-case) path: counts, cycles per block and instruction, and the
/// causes of the cycles.

#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "analyzer/path/compressed_path.hpp"
#include "assembly/flow/control_flow_graph.hpp"

namespace warpbound::analyzer {

/// Fills the part of a side's result that is about its path, by stepping the pipeline along it;
/// `proved`, `outcome` and `proof` remain as they are. When the steps do not repeat within a fixed
/// memory, only the counts of the blocks are filled in.
void replay_path(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                 const PipelineModel& pipeline, const BlockPath& path, SideResult& result);

} // namespace warpbound::analyzer

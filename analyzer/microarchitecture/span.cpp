#include "analyzer/microarchitecture/span.hpp"

namespace warpbound::analyzer {

Span whole_run(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline) {
    return {assembly::entry_block, block_at(graph, assembly::entry_block).first, pipeline.start(),
            std::nullopt, false};
}

} // namespace warpbound::analyzer

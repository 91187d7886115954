#include "analyzer/microarchitecture/span.hpp"

namespace warpbound::analyzer {

Span whole_run(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline) {
    return {0, graph.blocks[0].first, pipeline.start(), std::nullopt, false};
}

} // namespace warpbound::analyzer

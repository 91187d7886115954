#include "analyzer/launch/representative_paths.hpp"

#include "analyzer/launch/representative_flow.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

assembly::PerBlock<bool> unreached_in(const ControlFlowGraph& graph) {
    std::vector<bool> unreached =
        assembly::blocks_reachable_from(graph, 0, [](const auto&) { return true; });
    unreached.flip();
    unreached[0] = false;
    return assembly::PerBlock<bool>{std::move(unreached)};
}

} // namespace

std::unique_ptr<const RepresentativePaths> representative_paths(const TimedKernel& kernel,
                                                                const models::WarpPolicy& policy) {
    const auto& fact = kernel.stated->representative;
    if (!fact || models::guarantee_of(policy) != models::PolicyGuarantee::WorkConserving)
        return nullptr;
    auto paths = std::make_unique<RepresentativePaths>(RepresentativePaths{
        representative_flow(*kernel.graph, *fact), {}, models::ThreadBlocks{fact->blocks()}});
    paths->unreached = unreached_in(paths->graph);
    return paths;
}

AnalysisContext representative_context(const AnalysisContext& context,
                                       const RepresentativePaths& paths) {
    AnalysisContext result = context;
    result.kernel.graph = &paths.graph;
    for (const assembly::BlockIndex block : paths.unreached.indices())
        if (paths.unreached[block]) result.kernel.facts.never[block] = true;
    result.launch.shape.blocks = std::min(context.launch.shape.blocks, paths.blocks);
    return result;
}

} // namespace warpbound::analyzer

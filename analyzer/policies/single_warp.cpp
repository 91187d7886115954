#include "analyzer/policies/single_warp.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/microarchitecture/path_replay.hpp"

namespace warpbound::analyzer {

Result<SideAnswer> bound_single_warp(const TimedKernel& kernel, const AnalysisRun& run,
                                     const PipelinePair& pipelines, const PathQuery& query,
                                     const std::string& id_suffix) {
    const Side side = query.side;
    const PathGraph paths = path_graph_of(kernel, pipelines, side);
    auto solved = solve_paths(kernel, run, paths, query);
    if (!solved) return solved.as_failure();
    const CertificateName name{
        (side == Side::Upper ? "execution-time-upper" : "execution-time-lower") + id_suffix,
        "time to completion of one warp"};
    solved = record(kernel, run, name, query, std::move(solved).value(),
                    [&](std::optional<std::size_t> nodes) {
                        return path_graph_of(kernel, pipelines, side, nodes);
                    });
    SideAnswer answer;
    answer.nodes = static_cast<std::int64_t>(paths.nodes.size());
    answer.solver_used = solved.value().solver_used;
    SideResult& execution = answer.execution;
    execution.proved = solved.value().bound;
    execution.bound.terms = {{name.text, 1, solved.value().bound.count(), name.id}};
    execution.proof = solved.value().proof;
    execution.outcome = solved.value().outcome;
    if (solved.value().witness)
        replay_path(*kernel.function, *kernel.graph, pipelines.of(side), *solved.value().witness,
                    execution);
    return answer;
}

} // namespace warpbound::analyzer

#include "analyzer/flow/thread_facts.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

ThreadFacts derive_thread_facts(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph, const BlockShape& shape,
                                const models::Architecture& architecture, Convergence convergence,
                                const KernelParameters& parameters) {
    const models::SourcedValue* size = architecture.geometry.find("warp-size");
    ThreadFacts none;
    none.uniformity.resize(function.instructions.size());
    if (size == nullptr || !size->interval || size->interval->hi < 1 || shape.count() < 1)
        return none;
    const std::int64_t warp_size = size->interval->hi;
    // If no branch makes a converged warp diverge, then by induction the warp never diverges.
    const ThreadArithmetic converged{shape, warp_size, Convergence::Converged, parameters};
    const ThreadStates converged_states{function, graph, converged};
    InstructionUniformity uniformity = uniformity_of(converged_states);
    const bool always_uniform = branches_are_uniform(function, uniformity);
    if (always_uniform || convergence == Convergence::Converged) {
        // The statement that every predicate is uniform is not used where the code refutes it.
        const bool full_warps = convergence == Convergence::Converged &&
                                std::find(uniformity.begin(), uniformity.end(),
                                          Uniformity::Divergent) == uniformity.end();
        return {derive_transactions(converged_states, uniformity, architecture, full_warps),
                std::move(uniformity), always_uniform};
    }
    const ThreadArithmetic diverging{shape, warp_size, Convergence::MayDiverge, parameters};
    const ThreadStates diverging_states{function, graph, diverging};
    uniformity = uniformity_of(diverging_states);
    return {derive_transactions(diverging_states, uniformity, architecture, false),
            std::move(uniformity), false};
}

} // namespace warpbound::analyzer

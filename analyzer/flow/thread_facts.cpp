#include "analyzer/flow/thread_facts.hpp"

#include <cstddef>

namespace warpbound::analyzer {

namespace {

void apply(const UniformInstructions& stated, InstructionUniformity& uniformity) {
    for (std::size_t i = 0; i < stated.size(); ++i)
        if (stated[i] && uniformity[i] == Uniformity::Unknown) uniformity[i] = Uniformity::Uniform;
}

} // namespace

ThreadFacts derive_thread_facts(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph, const BlockShape& shape,
                                const models::Architecture& architecture,
                                const UniformInstructions& stated,
                                const KernelParameters& parameters) {
    const models::SourcedValue* size = architecture.geometry.find("warp-size");
    ThreadFacts facts;
    facts.uniformity.resize(function.instructions.size());
    if (size == nullptr || !size->interval || size->interval->hi < 1 || shape.count() < 1)
        return facts;
    // If no branch makes a converged warp diverge, then by induction the warp never diverges.
    for (const Convergence convergence : {Convergence::Converged, Convergence::MayDiverge}) {
        const ThreadArithmetic arithmetic{shape, size->interval->hi, convergence, parameters};
        const ThreadStates states{function, graph, arithmetic};
        facts.uniformity = uniformity_of(states);
        if (convergence == Convergence::Converged)
            facts.always_uniform = branches_are_uniform(function, facts.uniformity);
        apply(stated, facts.uniformity);
        facts.stays_converged = convergence == Convergence::Converged &&
                                branches_are_uniform(function, facts.uniformity);
        if (!facts.stays_converged && convergence == Convergence::Converged) continue;
        facts.accesses = derive_transactions(states, facts.uniformity, architecture);
        break;
    }
    return facts;
}

} // namespace warpbound::analyzer

#include "analyzer/flow/thread_facts.hpp"

#include "analyzer/flow/divergent_definitions.hpp"
#include "analyzer/flow/uniform_by_execution.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpbound::analyzer {

namespace {

void apply(const UniformInstructions& stated, InstructionUniformity& uniformity) {
    for (std::size_t i = 0; i < stated.size(); ++i)
        if (stated[i] && uniformity[i] == Uniformity::Unknown) uniformity[i] = Uniformity::Uniform;
}

/// What the abstract execution says of branches, and of what no thread reaches.
void add_execution(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                   const AbstractRun& run, const std::vector<bool>& in_step,
                   InstructionUniformity& uniformity) {
    const UniformInstructions alike = uniform_by_execution(function, graph, run, in_step);
    apply(alike, uniformity);
    std::vector<bool> reached(function.instructions.size(), false);
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
        for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i)
            reached[i] = reached[i] || run.reached[block];
    for (std::size_t i = 0; i < reached.size(); ++i)
        if (!reached[i] && (is_guarded(function.instructions[i]) ||
                            function.instructions[i].control_flow != assembly::ControlFlow::None))
            uniformity[i] = Uniformity::Uniform;
}

/// A wavefront of AMD has one path: its branches decide for all lanes (C100).
void take_one_path(const assembly::Function& function, InstructionUniformity& uniformity) {
    if (!is_amd(function.target)) return;
    for (std::size_t i = 0; i < uniformity.size(); ++i)
        if (function.instructions[i].control_flow != assembly::ControlFlow::None)
            uniformity[i] = Uniformity::Uniform;
}

std::set<assembly::Register> all_warp_registers(const assembly::Function& function) {
    std::set<assembly::Register> registers;
    for (const assembly::Instruction& instruction : function.instructions)
        for (const assembly::Register reg : instruction.effects.writes)
            if (reg.file == assembly::RegisterFile::Uniform ||
                reg.file == assembly::RegisterFile::UniformPredicate)
                registers.insert(reg);
    return registers;
}

/// Blocks that end with a branch which is not known to be uniform.
std::set<std::size_t> divergent_blocks(const assembly::Function& function,
                                       const assembly::ControlFlowGraph& graph,
                                       const InstructionUniformity& uniformity) {
    std::set<std::size_t> blocks;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        const std::size_t last = graph.blocks[block].last;
        const auto flow = function.instructions[last].control_flow;
        if (flow != assembly::ControlFlow::None && flow != assembly::ControlFlow::Exit &&
            uniformity[last] && uniformity[last] != Uniformity::Uniform)
            blocks.insert(block);
    }
    return blocks;
}

} // namespace

/// If only the branches of a set may diverge, and then no other branch makes converged lanes
/// diverge, no other branch ever does, by induction over the steps (S32, S32a).
ThreadFacts derive_thread_facts(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph, const BlockShape& shape,
                                const models::Architecture& architecture,
                                const UniformInstructions& stated,
                                const KernelParameters& parameters, const AbstractRun* run,
                                const std::optional<LastBlock>& last_block) {
    const models::SourcedValue* size = architecture.geometry.find("warp-size");
    ThreadFacts facts;
    facts.uniformity.resize(function.instructions.size());
    if (size == nullptr || !size->interval || size->interval->hi < 1 || shape.count() < 1) {
        facts.shared = all_warp_registers(function);
        return facts;
    }
    const LastBlock last =
        last_block.value_or(LastBlock{ThreadNumber::any, ThreadNumber::any, ThreadNumber::any});
    const ThreadArithmetic converged{shape, size->interval->hi, Convergence::Converged, parameters,
                                     last};
    std::set<std::size_t> divergent;
    while (const auto definitions = divergent_definitions(function, graph, divergent)) {
        const ThreadStates states{function, graph, converged, *definitions,
                                  run != nullptr ? &run->taken : nullptr};
        facts.uniformity = uniformity_of(states);
        take_one_path(function, facts.uniformity);
        if (run != nullptr)
            add_execution(function, graph, *run, definitions->in_step, facts.uniformity);
        if (divergent.empty())
            facts.always_uniform = branches_are_uniform(function, facts.uniformity);
        apply(stated, facts.uniformity);
        std::set<std::size_t> more = divergent_blocks(function, graph, facts.uniformity);
        more.insert(divergent.begin(), divergent.end());
        if (more == divergent) {
            facts.stays_converged = divergent.empty();
            facts.shared = definitions->shared;
            facts.accesses = derive_transactions(states, facts.uniformity, architecture);
            return facts;
        }
        divergent = std::move(more);
    }
    // Where lanes reconverge is not known: only what holds wherever they are.
    const ThreadArithmetic diverging{shape, size->interval->hi, Convergence::MayDiverge, parameters,
                                     last};
    const ThreadStates states{function, graph, diverging};
    facts.uniformity = uniformity_of(states);
    apply(stated, facts.uniformity);
    facts.shared = all_warp_registers(function);
    facts.accesses = derive_transactions(states, facts.uniformity, architecture);
    return facts;
}

LastBlock last_block_of(const models::Launch& launch) {
    LastBlock last{};
    for (std::size_t axis = 0; axis < last.size(); ++axis) {
        const std::int64_t blocks = launch.grid ? launch.grid->blocks[axis] : launch.blocks;
        last[axis] =
            static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, ThreadNumber::any) - 1);
    }
    return last;
}

} // namespace warpbound::analyzer

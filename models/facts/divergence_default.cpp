#include "models/facts/divergence_default.hpp"

#include <fmt/core.h>

#include <set>

namespace warpbound::models {

std::vector<bool> deciding_instructions(const assembly::Function& function,
                                        const assembly::ControlFlowGraph& graph) {
    std::vector<bool> deciding;
    for (const assembly::Instruction& instruction : function.instructions)
        deciding.push_back(
            assembly::is_guarded(instruction) &&
            (instruction.effects.memory || assembly::synchronizes_threads(instruction)));
    for (const assembly::BasicBlock& block : graph.blocks)
        if (function.instructions[block.last].control_flow != assembly::ControlFlow::None &&
            block.out.size() + (block.exits ? 1 : 0) > 1)
            deciding[block.last] = true;
    return deciding;
}

namespace {

/// A wavefront of AMD follows one path of its scalar code: nothing divides its lanes (C100).
Result<void> assume_wavefronts(const assembly::Function& function,
                               const std::vector<bool>& deciding, FlowFacts& facts) {
    for (const DivergentFact& fact : facts.divergents)
        return refused(facts, fact.from,
                       fmt::format("<divergent at=\"0x{:04x}\"/>: a wavefront of AMD has one path; "
                                   "EXEC switches lanes off, not branches (C100); expected no "
                                   "<divergent>",
                                   fact.at));
    for (std::size_t i = 0; i < deciding.size(); ++i)
        if (const std::int64_t at = function.instructions[i].address;
            deciding[i] && !facts.is_uniform(at))
            facts.uniforms.push_back({at, from_code});
    return boost::outcome_v2::success();
}

} // namespace

Result<void> assume_divergence(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph, FlowFacts& facts) {
    const std::vector<bool> deciding = deciding_instructions(function, graph);
    std::set<std::int64_t> stated;
    const auto take = [&](const char* name, const auto& fact) -> Result<void> {
        stated.insert(fact.at);
        const auto index = function.index_of(fact.at);
        if (index && (deciding[*index] || assembly::is_guarded(function.instructions[*index])))
            return boost::outcome_v2::success();
        return refused(facts, fact.from,
                       fmt::format("<{} at=\"0x{:04x}\"/>: nothing is decided there; expected a "
                                   "branch or a guarded instruction of {}",
                                   name, fact.at, function.name));
    };
    for (const DivergentFact& fact : facts.divergents)
        if (auto taken = take("divergent", fact); !taken) return taken;
    for (const UniformFact& fact : facts.uniforms)
        if (auto taken = take("uniform", fact); !taken) return taken;
    if (is_amd(function.target)) return assume_wavefronts(function, deciding, facts);
    for (std::size_t i = 0; i < deciding.size(); ++i)
        if (const std::int64_t at = function.instructions[i].address;
            deciding[i] && stated.count(at) == 0)
            facts.divergents.push_back({at, {FactOrigin::Static, FactStatus::Unchecked, 0}});
    return boost::outcome_v2::success();
}

} // namespace warpbound::models

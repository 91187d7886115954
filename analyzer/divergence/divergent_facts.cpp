#include "analyzer/divergence/divergent_facts.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace warpbound::analyzer {

Result<void> check_divergent_facts(const TimedKernel& kernel) {
    const assembly::Function& function = *kernel.function;
    const assembly::ControlFlowGraph& graph = *kernel.graph;
    const auto& instructions = function.instructions;
    for (std::size_t i = 0; i < kernel.used.size(); ++i)
        if (kernel.used[i] && assembly::synchronizes_threads(instructions[i]) &&
            assembly::is_guarded(instructions[i]))
            return refuse_at(function, i,
                             "a guarded barrier is not bounded where lanes may diverge");
    for (const auto& fact : kernel.stated->divergents) {
        const auto index = function.index_of(fact.at);
        const auto refuse_fact = [&](const std::string& what) {
            return models::refused(
                *kernel.stated, fact.from,
                fmt::format("{}: {}",
                            index ? assembly::place_of(function, instructions[*index])
                                  : fmt::format("0x{:04x}", fact.at),
                            what));
        };
        if (!index)
            return refuse_fact(
                "the flow facts state that lanes diverge here, where no instruction stands");
        const bool decides =
            assembly::is_guarded(instructions[*index]) ||
            std::any_of(graph.blocks.begin(), graph.blocks.end(), [&](const auto& block) {
                return block.last == *index && block.out.size() >= 2;
            });
        if (!decides)
            return refuse_fact(
                "the flow facts state that lanes diverge here, where nothing is decided");
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::analyzer

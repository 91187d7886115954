#include "analyzer/value/thread_states.hpp"

#include "assembly/support/stop_token.hpp"

#include <utility>

namespace warpbound::analyzer {

ThreadStates::ThreadStates(const assembly::Function& function,
                           const assembly::ControlFlowGraph& graph,
                           const ThreadArithmetic& arithmetic, DivergentDefinitions divergent,
                           const std::vector<bool>* taken)
    : function_{function}, graph_{graph}, arithmetic_{arithmetic},
      divergent_{std::move(divergent)}, taken_{taken}, starts_(graph.blocks.size()),
      origins_(graph.blocks.size()) {
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        origins_[block] = next_origin_;
        next_origin_ += graph.blocks[block].last - graph.blocks[block].first + 2;
    }
    find_fixed_point();
}

/// Uniform registers that hold what the launch left there until the code writes them: those that it
/// reads, but for those that lanes may overwrite while others wait. Nothing where it is not known
/// what an instruction writes.
std::set<assembly::Register> ThreadStates::initially_uniform() const {
    std::set<assembly::Register> registers;
    for (const assembly::Instruction& instruction : function_.instructions)
        for (const assembly::Register reg : instruction.effects.reads)
            if (reg.file == assembly::RegisterFile::Uniform) registers.insert(reg);
    for (const assembly::Register reg : divergent_.shared)
        registers.erase(reg);
    for (const assembly::Instruction& instruction : function_.instructions) {
        if (!instruction.effects.writes_known) return {};
        if (arithmetic_.convergence() == Convergence::Converged) continue;
        for (const assembly::Register reg : instruction.effects.writes)
            registers.erase(reg);
    }
    return registers;
}

/// Terminates: a join only ever removes knowledge.
void ThreadStates::find_fixed_point() {
    starts_[0].emplace(arithmetic_);
    for (const assembly::Register reg : initially_uniform())
        starts_[0]->begin_uniform(reg, next_origin_++);
    std::vector<bool> pending(graph_.blocks.size(), false);
    pending[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            check_stop("the value analysis of the threads of a block");
            if (!pending[block]) continue;
            pending[block] = false;
            changed = true;
            ThreadRegisters registers = *starts_[block];
            execute(block, registers, [](auto&&...) {});
            for (const std::size_t edge : graph_.blocks[block].out) {
                if (taken_ != nullptr && !(*taken_)[edge]) continue;
                const std::size_t to = graph_.edges[edge].to;
                ThreadRegisters arriving = registers;
                if (const auto* defined = find(divergent_.reconverged, to))
                    arriving.forget_bases(*defined);
                if (!starts_[to]) {
                    starts_[to] = std::move(arriving);
                    pending[to] = true;
                    continue;
                }
                ThreadRegisters joined = *starts_[to];
                joined.join(arriving, origins_[to], find(divergent_.joined, to));
                if (joined == *starts_[to]) continue;
                starts_[to] = std::move(joined);
                pending[to] = true;
            }
        }
    }
}

} // namespace warpbound::analyzer

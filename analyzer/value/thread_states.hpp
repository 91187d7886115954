#pragma once
/// \file
/// Register states of all threads of a block before each instruction: a fixed point over the
/// control-flow graph (S32).

#include "analyzer/value/thread_domain.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/stop_token.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// Registers that lanes of a warp may have defined differently since a branch at which they
/// diverged (S32a). Empty where no branch diverges.
struct DivergentDefinitions {
    using ByBlock = std::map<std::size_t, std::set<assembly::Register>>;
    ByBlock joined;      ///< Where the paths that enter the block define them differently.
    ByBlock reconverged; ///< Where lanes come together that may have defined them differently.
    /// Registers of the warp that are written while some of its lanes wait that need them.
    std::set<assembly::Register> shared;
    /// Per loop: lanes that execute an instruction of it together are in the same iteration (S32b).
    std::vector<bool> in_step;

    [[nodiscard]] bool empty() const { return joined.empty(); }
};

class ThreadStates {
public:
    /// Computes the fixed point. The arguments must outlive the object. `divergent`: of all
    /// branches that may diverge, where the arithmetic is that of a warp that never does. `taken`:
    /// per edge, whether some thread may take it; null: each.
    ThreadStates(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                 const ThreadArithmetic& arithmetic, DivergentDefinitions divergent = {},
                 const std::vector<bool>* taken = nullptr);

    [[nodiscard]] const assembly::Function& function() const { return function_; }
    [[nodiscard]] const ThreadArithmetic& arithmetic() const { return arithmetic_; }

    /// Lanes may be at different program points.
    [[nodiscard]] bool may_diverge() const {
        return !divergent_.empty() || arithmetic_.convergence() == Convergence::MayDiverge;
    }

    /// Calls visit(instruction, registers before it, origin of its results) for each instruction of
    /// each reached block; code that several calls share is visited once per call context.
    template <class Visit> void for_each(const Visit& visit) const {
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            check_stop("the value analysis of the threads of a block");
            if (!starts_[block]) continue;
            ThreadRegisters registers = *starts_[block];
            execute(block, registers, visit);
        }
    }

private:
    template <class Visit>
    void execute(std::size_t block, ThreadRegisters& registers, const Visit& visit) const {
        const auto& code = graph_.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i) {
            const Origin origin = origins_[block] + 1 + (i - code.first);
            visit(i, registers, origin);
            registers.execute(function_.instructions[i], origin);
            if (!divergent_.shared.empty())
                registers.forget(function_.instructions[i].effects.writes, divergent_.shared);
        }
        registers.leave_block();
    }
    [[nodiscard]] std::set<assembly::Register> initially_uniform() const;
    void find_fixed_point();
    /// Registers of a block in one of the tables; null: none.
    static const std::set<assembly::Register>* find(const DivergentDefinitions::ByBlock& table,
                                                    std::size_t block) {
        const auto found = table.find(block);
        return found == table.end() ? nullptr : &found->second;
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const ThreadArithmetic& arithmetic_;
    DivergentDefinitions divergent_;
    const std::vector<bool>* taken_;
    std::vector<std::optional<ThreadRegisters>> starts_; ///< [block]; nothing: not reached.
    /// [block]: of the join at its start; those of its instructions follow.
    std::vector<Origin> origins_;
    Origin next_origin_ = 1;
};

} // namespace warpbound::analyzer

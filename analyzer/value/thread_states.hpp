#pragma once
/// \file
/// Register states of all threads of a block before each instruction: a fixed point over the
/// control-flow graph (S32).

#include "analyzer/value/thread_domain.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/stop_token.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

class ThreadStates {
public:
    /// Computes the fixed point. The arguments must outlive the object.
    ThreadStates(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                 const ThreadArithmetic& arithmetic);

    [[nodiscard]] const assembly::Function& function() const { return function_; }
    [[nodiscard]] const ThreadArithmetic& arithmetic() const { return arithmetic_; }

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
        }
    }
    void find_fixed_point();

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const ThreadArithmetic& arithmetic_;
    std::vector<std::optional<ThreadRegisters>> starts_; ///< [block]; nothing: not reached.
    std::vector<Origin> origins_;                        ///< [block]: of the join at its start.
};

} // namespace warpbound::analyzer

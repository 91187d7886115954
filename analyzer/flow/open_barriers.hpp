#pragma once
/// \file
/// The convergence barriers that lanes have joined and not left, at each point of the code (C40).

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

class OpenBarriers {
public:
    OpenBarriers(const assembly::Function& function, const assembly::ControlFlowGraph& graph);

    /// Blocks are entered with the same open barriers on all paths, by instructions that are
    /// modelled.
    [[nodiscard]] bool known() const { return known_; }
    /// No barrier is open where the block ends.
    [[nodiscard]] bool none_at(std::size_t block) const { return at_end_[block]->empty(); }
    /// Where lanes that diverge at the end of the block are together again: the block after the
    /// wait at the innermost open barrier at which all of them arrive. Nothing where there is none.
    [[nodiscard]] std::optional<std::size_t> after_wait_of(std::size_t branch) const;

private:
    /// Barrier registers, in the order in which lanes joined them.
    using Barriers = std::vector<int>;

    void execute(const assembly::Instruction& instruction, Barriers& open);
    void forget(Barriers& open, int reg);
    void arrive(const assembly::Instruction& wait, Barriers& open);
    void leave(std::size_t block, const Barriers& open);
    [[nodiscard]] std::optional<std::size_t> after_wait(std::size_t branch,
                                                        const Barriers& open) const;

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    std::vector<std::optional<Barriers>> before_; ///< [block]; nothing: not reached.
    std::vector<std::optional<Barriers>> at_end_;
    bool known_ = true;
};

} // namespace warpbound::analyzer

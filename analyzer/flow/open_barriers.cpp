#include "analyzer/flow/open_barriers.hpp"

#include "assembly/isa/branch_guard.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;

} // namespace

OpenBarriers::OpenBarriers(const Function& function, const ControlFlowGraph& graph)
    : function_{function}, graph_{graph}, before_(graph.blocks.size()),
      at_end_(graph.blocks.size()) {
    before_[0] = Barriers{};
    for (std::size_t block = 0; known_ && block < graph.blocks.size(); ++block) {
        if (!before_[block]) continue; // Not reached.
        Barriers open = *before_[block];
        const auto& code = graph.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i)
            execute(function.instructions[i], open);
        at_end_[block] = open;
        const Instruction& last = function.instructions[code.last];
        if (last.control_flow == ControlFlow::ConvergenceWait) arrive(last, open);
        leave(block, open);
    }
}

/// Over each edge, without the barriers that the lanes on it have broken under a guard.
void OpenBarriers::leave(std::size_t block, const Barriers& open) {
    const auto& code = graph_.blocks[block];
    for (const std::size_t edge : code.out) {
        Barriers arriving = open;
        for (std::size_t i = code.first; i <= code.last; ++i) {
            const Instruction& instruction = function_.instructions[i];
            if (instruction.control_flow != ControlFlow::ConvergenceBreak ||
                !assembly::is_guarded(instruction))
                continue;
            const auto reg = assembly::barrier_register(instruction);
            const auto if_taken = assembly::executes_if_taken(function_, i, code.last);
            known_ = known_ && reg && if_taken;
            if (known_ && (graph_.edges[edge].kind == assembly::EdgeKind::Taken) == *if_taken)
                std::erase(arriving, *reg);
        }
        auto& next = before_[graph_.edges[edge].to];
        known_ = known_ && (!next || *next == arriving);
        next = std::move(arriving);
    }
}

void OpenBarriers::execute(const Instruction& instruction, Barriers& open) {
    const auto reg = assembly::barrier_register(instruction);
    const bool guarded = assembly::is_guarded(instruction);
    switch (instruction.control_flow) {
    case ControlFlow::ConvergenceSet:
        // Lanes that set an open barrier again would leave it (C40).
        known_ = known_ && reg && !guarded && std::erase(open, *reg) == 0;
        if (known_) open.push_back(*reg);
        return;
    case ControlFlow::ConvergenceBreak:
        known_ = known_ && reg;
        if (known_ && !guarded) std::erase(open, *reg);
        return;
    case ControlFlow::PushReconvergence:
    case ControlFlow::PushBreak:
    case ControlFlow::PushContinue:
    case ControlFlow::PopReconvergence:
    case ControlFlow::PopBreak:
    case ControlFlow::PopContinue:
        known_ = false;
        return;
    default:
        break;
    }
    // BMOV.CLEAR before a BSSY leaves the barrier.
    for (const assembly::Register named : instruction.effects.writes)
        if (named.file == assembly::RegisterFile::Barrier) forget(open, named.index);
    if (instruction.mnemonic == "BMOV")
        for (const assembly::Register named : instruction.effects.reads)
            if (named.file == assembly::RegisterFile::Barrier) forget(open, named.index);
}

/// Which lanes leave an open barrier so is not followed.
void OpenBarriers::forget(Barriers& open, int reg) {
    known_ = known_ && std::erase(open, reg) == 0;
}

void OpenBarriers::arrive(const Instruction& wait, Barriers& open) {
    const auto reg = assembly::barrier_register(wait);
    if (!reg || open.empty() || open.back() != *reg || assembly::is_guarded(wait))
        known_ = false;
    else
        open.pop_back();
}

std::optional<std::size_t> OpenBarriers::after_wait_of(std::size_t branch) const {
    for (Barriers open = *at_end_[branch]; !open.empty(); open.pop_back())
        if (const auto after = after_wait(branch, open)) return after;
    return std::nullopt;
}

/// Nothing where some lanes may leave the innermost of the barriers before they arrive, or where
/// there is not one wait.
std::optional<std::size_t> OpenBarriers::after_wait(std::size_t branch,
                                                    const Barriers& open) const {
    const auto holds_open = [&](std::size_t block) {
        const Barriers& before = *before_[block];
        return before.size() >= open.size() && std::equal(open.begin(), open.end(), before.begin());
    };
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::size_t> pending{branch};
    std::optional<std::size_t> after;
    while (!pending.empty()) {
        const std::size_t block = pending.back();
        pending.pop_back();
        const Instruction& last = function_.instructions[graph_.blocks[block].last];
        const bool arrives =
            last.control_flow == ControlFlow::ConvergenceWait && *at_end_[block] == open;
        for (const std::size_t edge : graph_.blocks[block].out) {
            const std::size_t to = graph_.edges[edge].to;
            if (arrives) {
                if (after && *after != to) return std::nullopt;
                after = to;
                continue;
            }
            if (!holds_open(to)) return std::nullopt;
            if (seen[to]) continue;
            seen[to] = true;
            pending.push_back(to);
        }
    }
    return after;
}

} // namespace warpbound::analyzer

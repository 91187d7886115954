#include "assembly/isa/branch_guard.hpp"

#include "assembly/isa/register_roles.hpp"

#include <algorithm>

namespace warpbound::assembly {

std::optional<bool> executes_if_taken(const Function& function, std::size_t instruction,
                                      std::size_t branch) {
    const Instruction& last = function.instructions[branch];
    const auto decides = [](const Operand& operand) {
        const auto* reg = std::get_if<RegisterOperand>(&operand);
        return reg != nullptr && (reg->index || reg->negated);
    };
    const auto& guard = function.instructions[instruction].guard;
    if (last.control_flow != ControlFlow::Branch || !guard || !last.guard ||
        asks_other_lanes(last) || guard->predicate.file != last.guard->predicate.file ||
        !guard->predicate.index || guard->predicate.index != last.guard->predicate.index ||
        std::any_of(last.operands.begin(), last.operands.end(), decides))
        return std::nullopt;
    const Register predicate{guard->predicate.file, *guard->predicate.index};
    for (std::size_t i = instruction + 1; i < branch; ++i) {
        const Effects& effects = function.instructions[i].effects;
        if (!effects.writes_known || std::find(effects.writes.begin(), effects.writes.end(),
                                               predicate) != effects.writes.end())
            return std::nullopt;
    }
    return guard->predicate.negated == last.guard->predicate.negated;
}

std::optional<bool> barrier_if_taken(const Function& function, std::size_t instruction,
                                     std::size_t branch) {
    const Instruction& barrier = function.instructions[instruction];
    if (!is_guarded(barrier) || !waits_for_whole_block(barrier) ||
        !is_decided_by_guard(function.instructions[branch]))
        return std::nullopt;
    return executes_if_taken(function, instruction, branch);
}

const RegisterOperand* deciding_operand(const Instruction& branch) {
    if (branch.control_flow != ControlFlow::Branch || branch.operands.size() != 2) return nullptr;
    const auto* reg = std::get_if<RegisterOperand>(&branch.operands.front());
    if (reg == nullptr || branch.modifiers.size() > 1) return nullptr;
    const bool is_uniform = branch.has_modifier("U");
    if (!is_uniform && !branch.modifiers.empty()) return nullptr;
    return reg->file == (is_uniform ? RegisterFile::UniformPredicate : RegisterFile::Predicate)
               ? reg
               : nullptr;
}

bool asks_other_lanes(const Instruction& branch) {
    return branch.control_flow == ControlFlow::Branch &&
           (branch.has_modifier("DIV") || branch.has_modifier("CONV") ||
            branch.has_modifier("ANY") || branch.has_modifier("ALL"));
}

bool is_decided_by_guard(const Instruction& branch) {
    return branch.control_flow == ControlFlow::Branch && branch.operands.size() == 1 &&
           (branch.modifiers.empty() || branch.has_modifier("NOINC"));
}

} // namespace warpbound::assembly

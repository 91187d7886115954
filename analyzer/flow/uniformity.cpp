#include "analyzer/flow/uniformity.hpp"

#include <algorithm>
#include <cstddef>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

/// There is one of it for the warp: lanes that execute together read the same.
bool is_of_the_warp(assembly::Register reg) {
    return reg.file == assembly::RegisterFile::Uniform ||
           reg.file == assembly::RegisterFile::UniformPredicate;
}

/// The uniformity of what decides at an instruction; nothing where no predicate does.
std::optional<Uniformity> uniformity_at(const Instruction& instruction,
                                        const ThreadRegisters& registers,
                                        const ThreadArithmetic& arithmetic) {
    std::optional<Uniformity> uniformity;
    const auto join = [&](Uniformity other) {
        uniformity = uniformity ? std::max(*uniformity, other) : other;
    };
    if (is_guarded(instruction)) {
        const auto predicate = registers.truth(instruction.guard->predicate);
        const bool of_warp =
            instruction.guard->predicate.file == assembly::RegisterFile::UniformPredicate;
        join(of_warp || (predicate && arithmetic.is_uniform(*predicate)) ? Uniformity::Uniform
             : predicate                                                 ? Uniformity::Divergent
                                                                         : Uniformity::Unknown);
    }
    const ControlFlow flow = instruction.control_flow;
    if (flow == ControlFlow::None || flow == ControlFlow::Exit) return uniformity;
    // Whether the active lanes are those of a mask is one question to the warp (C102).
    if (instruction.has_modifier("DIV") || instruction.has_modifier("CONV")) {
        join(Uniformity::Uniform);
        return uniformity;
    }
    // Operands of a branch decide, too: predicates, and the register of an indirect target.
    for (const assembly::Register reg : instruction.effects.reads) {
        if (instruction.guard && instruction.guard->predicate.index &&
            reg == assembly::Register{instruction.guard->predicate.file,
                                      *instruction.guard->predicate.index})
            continue;
        if (reg.file == assembly::RegisterFile::Barrier) continue;
        join(is_of_the_warp(reg) || registers.is_uniform(reg) ? Uniformity::Uniform
                                                              : Uniformity::Unknown);
    }
    return uniformity;
}

} // namespace

InstructionUniformity uniformity_of(const ThreadStates& states) {
    const auto& instructions = states.function().instructions;
    InstructionUniformity uniformity(instructions.size());
    states.for_each([&](std::size_t i, const ThreadRegisters& registers, Origin) {
        const auto here = uniformity_at(instructions[i], registers, states.arithmetic());
        if (here) uniformity[i] = uniformity[i] ? std::max(*uniformity[i], *here) : *here;
    });
    return uniformity;
}

bool branches_are_uniform(const assembly::Function& function,
                          const InstructionUniformity& uniformity) {
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const ControlFlow flow = function.instructions[i].control_flow;
        if (uniformity[i] && flow != ControlFlow::None && flow != ControlFlow::Exit &&
            uniformity[i] != Uniformity::Uniform)
            return false;
    }
    return true;
}

bool branches_and_exits_are_uniform(const assembly::Function& function,
                                    const InstructionUniformity& uniformity) {
    if (!branches_are_uniform(function, uniformity)) return false;
    for (std::size_t i = 0; i < function.instructions.size(); ++i)
        if (function.instructions[i].control_flow == ControlFlow::Exit && uniformity[i] &&
            uniformity[i] != Uniformity::Uniform)
            return false;
    return true;
}

} // namespace warpbound::analyzer

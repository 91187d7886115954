#include "assembly/isa/effects.hpp"

#include <algorithm>
#include <array>

namespace warpbound::assembly {

namespace {

bool is_predicate(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr &&
           (reg->file == RegisterFile::Predicate || reg->file == RegisterFile::UniformPredicate);
}

bool is_number_register(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr &&
           (reg->file == RegisterFile::General || reg->file == RegisterFile::Uniform);
}

void add(std::vector<Register>& list, const RegisterOperand& reg, int width) {
    if (!reg.index) return;
    for (int i = 0; i < width; ++i)
        list.push_back({reg.file, *reg.index + i});
}

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

/// Data registers of a load, store or atomic, per lane.
int data_width(const Instruction& instruction) {
    if (instruction.has_modifier("128")) return 4;
    if (instruction.has_modifier("64")) return 2;
    return 1;
}

int data_bytes(const Instruction& instruction) {
    if (instruction.has_modifier("U8") || instruction.has_modifier("S8")) return 1;
    if (instruction.has_modifier("U16") || instruction.has_modifier("S16")) return 2;
    return 4 * data_width(instruction);
}

/// How many leading operands are written.
std::size_t destination_count(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const auto info = find_opcode(instruction.mnemonic);
    if (operands.empty()) return 0;
    if (instruction.control_flow != ControlFlow::None &&
        instruction.control_flow != ControlFlow::PopReconvergence &&
        instruction.control_flow != ControlFlow::ConvergenceSet)
        return 0;
    switch (instruction.opcode_class) {
    case OpcodeClass::StoreShared:
    case OpcodeClass::StoreGlobal:
    case OpcodeClass::StoreLocal:
    case OpcodeClass::Barrier:
    case OpcodeClass::MemoryFence:
    case OpcodeClass::DependenceBarrier:
    case OpcodeClass::Nop:
        return 0;
    default:
        break;
    }
    if (info && info->is_store && !info->is_load) return 0; // RED
    if (instruction.mnemonic == "R2P") return 1;
    if (is_predicate(operands[0])) // ISETP P0, PT, ..; LOP3 P0, R2, ..; SHFL PT, R3, ..
        return operands.size() > 1 && (is_predicate(operands[1]) || is_number_register(operands[1]))
                   ? 2
                   : 1;
    if (!is_number_register(operands[0]))
        return instruction.control_flow == ControlFlow::ConvergenceSet ? 1 : 0;
    if (instruction.opcode_class == OpcodeClass::Vote)
        return operands.size() > 1 && is_predicate(operands[1]) ? 2 : 1;
    std::size_t count = 1; // carry-out predicates follow the number: IADD3 R4, P0, R2, ..
    while (count < operands.size() && count < 3 && is_predicate(operands[count]) &&
           count + 1 < operands.size())
        ++count;
    return count;
}

/// Width of a register operand in 32-bit registers. `position` counts operands.
int operand_width(const Instruction& instruction, std::size_t position, Target target) {
    const std::string& name = instruction.mnemonic;
    const auto info = find_opcode(name);
    if (info && (info->is_load || info->is_store)) return data_width(instruction);
    if (instruction.opcode_class == OpcodeClass::Double) return 2;
    if (instruction.has_modifier("WIDE") && (name == "IMAD" || name == "XMAD" || name == "UIMAD"))
        return position == 0 || position >= 3 ? 2 : 1;
    if (name == "CS2R") return target.sm >= 70 && !instruction.has_modifier("32") ? 2 : 1;
    if (name == "F2F" || name == "I2F" || name == "F2I" || name == "FRND") {
        // F2F.F64.F32: destination type first, source type second; one F64 of I2F is the
        // destination's, of F2I the source's.
        const bool to_double =
            !instruction.modifiers.empty() && instruction.modifiers.front() == "F64";
        const bool from_double =
            std::count(instruction.modifiers.begin(), instruction.modifiers.end(), "F64") >
            (to_double ? 1 : 0);
        if (name == "F2I")
            return position == 0
                       ? (instruction.has_modifier("S64") || instruction.has_modifier("U64") ? 2
                                                                                             : 1)
                       : (instruction.has_modifier("F64") ? 2 : 1);
        if (position == 0) return to_double ? 2 : 1;
        return from_double || instruction.has_modifier("S64") || instruction.has_modifier("U64")
                   ? 2
                   : 1;
    }
    return 1;
}

/// Registers of an address.
void add_address(std::vector<Register>& reads, const MemoryOperand& memory,
                 const Instruction& instruction, Target target) {
    if (memory.base) {
        const auto& suffixes = memory.base->suffixes;
        const bool wide = std::find(suffixes.begin(), suffixes.end(), "64") != suffixes.end() ||
                          (instruction.has_modifier("E") && target.sm < 80);
        add(reads, *memory.base, wide ? 2 : 1);
    }
    if (memory.uniform) add(reads, *memory.uniform, 1);
    if (memory.descriptor) add(reads, *memory.descriptor, 2);
}

void sort_unique(std::vector<Register>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

constexpr std::array inexact_classes{OpcodeClass::Tensor, OpcodeClass::Texture,
                                     OpcodeClass::Unknown};

} // namespace

Effects effects_of(const Instruction& instruction, Target target) {
    Effects effects;
    const auto info = find_opcode(instruction.mnemonic);
    if (instruction.guard) add(effects.reads, instruction.guard->predicate, 1);
    const std::size_t destinations = destination_count(instruction);
    effects.exact = std::find(inexact_classes.begin(), inexact_classes.end(),
                              instruction.opcode_class) == inexact_classes.end() &&
                    !starts_with(instruction.mnemonic, "LDSM");
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
            const int width =
                is_number_register(operand) ? operand_width(instruction, i, target) : 1;
            if (i < destinations || !effects.exact) add(effects.writes, *reg, width);
            if (i >= destinations || !effects.exact) add(effects.reads, *reg, width);
            // R5.CC: the carry is written with the destination, or is a destination itself.
            if (i < destinations &&
                std::find(reg->suffixes.begin(), reg->suffixes.end(), "CC") != reg->suffixes.end())
                effects.writes.push_back({RegisterFile::Carry, 0});
        } else if (const auto* constant = std::get_if<ConstantOperand>(&operand)) {
            if (constant->index_register && *constant->index_register >= 0)
                effects.reads.push_back({RegisterFile::General, *constant->index_register});
            if (constant->uniform_register && *constant->uniform_register >= 0)
                effects.reads.push_back({RegisterFile::Uniform, *constant->uniform_register});
            if (constant->bank_register)
                effects.reads.push_back({RegisterFile::Uniform, *constant->bank_register});
        } else if (const auto* memory = std::get_if<MemoryOperand>(&operand)) {
            add_address(effects.reads, *memory, instruction, target);
        }
    }
    if (target.sm < 70 && instruction.has_modifier("X"))
        effects.reads.push_back({RegisterFile::Carry, 0});
    if (info && info->space != StateSpace::None)
        effects.memory =
            MemoryEffect{info->space, info->is_load, info->is_store, data_bytes(instruction)};
    effects.reads_clock = instruction.opcode_class == OpcodeClass::ClockRead;
    sort_unique(effects.reads);
    sort_unique(effects.writes);
    return effects;
}

} // namespace warpbound::assembly

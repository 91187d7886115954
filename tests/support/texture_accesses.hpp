#pragma once
/// \file
/// Kernels with accesses to textures and surfaces (C101).

#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"
#include "models/facts/flow_facts.hpp"
#include "tests/support/random_source.hpp"

#include <array>
#include <optional>
#include <string>
#include <variant>

namespace warpbound::tests {

/// `TO` is the register of the load in whose place the instruction stands.
inline const char* texture_load(RandomSource& random) {
    constexpr std::array loads{"TLD.LZ RZ, TO, R8, UR4, 0x0, 1D, 0x1",
                               "TEX.LZ RZ, TO, R8, UR4, 0x0, 2D, 0x1",
                               "TEX.LL RZ, TO, R8, R6, UR4, 0x0, 3D, 0x1",
                               "TEX.B.LL RZ, TO, R8, R4, 2D, 0x1",
                               "TXD RZ, TO, R4, R8, UR4, 0x0, 2D, 0x1",
                               "TLD4.R RZ, TO, R8, UR4, 0x0, 2D, 0x1",
                               "TXQ RZ, TO, R8, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1",
                               "SULD.D.BA.2D.STRONG.SM.TRAP TO, [R4], UR4, 0x0"};
    return loads[static_cast<std::size_t>(random.whole(0, loads.size() - 1))];
}

inline const char* surface_store(RandomSource& random) {
    constexpr std::array stores{"SUST.D.BA.2D.128.STRONG.SM.TRAP [R4], R8, UR4, 0x0",
                                "SUST.D.BA.1D.STRONG.SM.TRAP [R4], R8, R6",
                                "SURED.D.BA.2D.ADD.STRONG.SYS.TRAP [R4], R2, UR4, 0x0"};
    return stores[static_cast<std::size_t>(random.whole(0, stores.size() - 1))];
}

/// The general register that an instruction writes first.
inline std::optional<assembly::Register> first_result(const assembly::Instruction& instruction) {
    for (const assembly::Register& reg : instruction.effects.writes)
        if (reg.file == assembly::RegisterFile::General) return reg;
    return std::nullopt;
}

/// Puts another instruction in the place of one, with its guard, address and control field.
inline void replace(assembly::Instruction& instruction, std::string statement) {
    if (const auto to = first_result(instruction))
        if (const std::size_t at = statement.find("TO,"); at != std::string::npos)
            statement.replace(at, 2, assembly::to_string(*to));
    const auto read =
        assembly::read_program({.name = "texture", .text = "!Arch sm_90\n" + statement + ";\n"});
    const assembly::Instruction& other = read.value().functions.front().instructions.front();
    instruction.mnemonic = other.mnemonic;
    instruction.modifiers = other.modifiers;
    instruction.operands = other.operands;
    instruction.opcode_class = other.opcode_class;
}

/// Turns some global accesses without an address pattern into accesses of textures and surfaces.
/// Returns how many.
inline int mix_textures(assembly::Function& function, const models::FlowFacts& facts,
                        RandomSource& random) {
    using enum assembly::OpcodeClass;
    int changed = 0;
    for (assembly::Instruction& instruction : function.instructions) {
        const auto* const fact = facts.memory_at(instruction.address);
        if ((fact != nullptr && fact->pattern) || random.whole(0, 2) == 0) continue;
        if (instruction.opcode_class == LoadGlobal && first_result(instruction))
            replace(instruction, texture_load(random));
        else if (instruction.opcode_class == StoreGlobal && (fact == nullptr || !fact->sectors))
            replace(instruction, surface_store(random));
        else
            continue;
        ++changed;
    }
    assembly::set_effects(function);
    return changed;
}

} // namespace warpbound::tests

#pragma once
/// \file
/// Forms of instructions that a description may tell apart within a class (C89, C90).

#include "assembly/isa/program.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::models {

/// What a value of a description says behind its name: "uniform-64" in `latency-uniform-64`.
struct InstructionForm {
    std::string name;
    std::int64_t words = 1; ///< Of a memory access: 32-bit words that a lane accesses.
};

/// The form of an instruction, or nothing where descriptions tell none apart:
///  - KIND-WIDTH of LDG, STG, LDS, STS (address in a `regular` or a `uniform` register) and LDC
///    (offset in a `regular` register or `immediate`), with 32, 64 or 128 bits for each lane;
///  - `copy` of LDGSTS;
///  - `cta`, `gpu`, `sys` of MEMBAR, by its scope;
///  - `wide` of IMAD.WIDE;
///  - `match` of MATCH, `reduction` of REDUX and CREDUX, `matrix` of MOVM;
///  - `copies` of LDGDEPBAR;
///  - `double` of DMMA, and of conversions from or to F64, S64, U64; `warpgroup` of HGMMA and its
///  kind.
/// Narrower accesses, addresses that add both kinds of registers, and accesses past the L1 by their
/// modifiers have none.
std::optional<InstructionForm> instruction_form(const assembly::Instruction& instruction);

/// Whether mnemonic and types alone tell the form: its values may lie outside those of the class
/// (C89), which do not stand in where they are absent.
bool is_told_by_mnemonic(std::string_view form);

} // namespace warpbound::models

#pragma once
/// \file
/// AMD's instructions read through LLVM's MC layer.

#include "assembly/amd/code_decoder.hpp"

#include <string>

namespace warpbound::assembly::amd {

/// Operand roles are those of LLVM's instruction tables. Two things are ours: of a wavefront of 32
/// lanes only the low halves of EXEC and VCC count where an instruction uses them implicitly (as
/// LLVM's own SIInstrInfo::fixImplicitOperands has it), and SDWA forms read their destination,
/// whose other bits they may preserve.
const CodeDecoder& llvm_decoder();

/// "19.1.7": of LLVM's library.
std::string llvm_version();

} // namespace warpbound::assembly::amd

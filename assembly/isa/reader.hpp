#pragma once
/// \file
/// Reads a program from the text of a disassembler or from a hand-written listing.

#include "assembly/isa/program.hpp"
#include "assembly/support/source_text.hpp"

namespace warpbound::assembly {

/// Recognises the form of the text and reads it. Refuses other text with a list of the known forms.
/// A bare listing names its target in a directive `!Arch sm_20` or a line `.target sm_20`; without
/// one it is sm_20.
Result<Program> read_program(const SourceText& source);

/// `cuobjdump -sass`.
Result<Program> read_cuobjdump(const SourceText& source);
/// `nvdisasm -c`, with or without `-hex`.
Result<Program> read_nvdisasm(const SourceText& source);
/// Hand-written listing: labels, no addresses, statements end in `;`.
Result<Program> read_bare(const SourceText& source);

/// Text in the program's own form. Reading it again gives the same functions (except positions
/// and digest).
std::string print(const Program& program);
/// One instruction without address and encoding: "@!P0 LDG.E R4, [R2+0x10] ;".
std::string print(const Instruction& instruction);

} // namespace warpbound::assembly

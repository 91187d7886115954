#pragma once
/// \file
/// Operands of AMD's instructions, as the disassembler writes them, in the value analysis.

#include "assembly/isa/program.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpbound::analyzer {

/// The registers of the value analysis that stand for those of a wavefront (S56).
///
/// | register | is |
/// |---|---|
/// | General | a VGPR or AGPR, of the lanes of EXEC; with `of_all` of all lanes |
/// | Uniform | an SGPR, the halves of VCC among them |
/// | UniformPredicate | SCC |
/// | Predicate | EXEC, what a branch asks, and each SGPR, of 64 lanes each pair of them, as a mask
/// of lanes, likewise |
enum class View { Active, All };

assembly::Register lane_register(assembly::Register reg, View view);
/// A place for intermediate results of one instruction.
assembly::Register temporary(int number);

inline constexpr assembly::Register scc_predicate{assembly::RegisterFile::UniformPredicate, 0};
inline constexpr assembly::Register exec_predicate{assembly::RegisterFile::Predicate, 0};
inline constexpr assembly::Register branch_predicate{assembly::RegisterFile::Predicate, 1};

/// A mask of lanes by its first register: EXEC, VCC, an SGPR of 32 lanes or an even pair of 64.
using MaskId = int;
inline constexpr MaskId vcc_mask = 106; ///< Numbers that the encodings have.
inline constexpr MaskId exec_mask = 126;

/// "exec", "vcc", "s[4:5]" of 64 lanes; "exec_lo", "vcc_lo", "s4" of 32.
std::optional<MaskId> mask_in(std::string_view text, int lanes);
/// The mask that a register is, or is half of; nothing for others.
std::optional<MaskId> mask_with(assembly::Register reg, int lanes);
/// Requires: not EXEC.
assembly::Register mask_predicate(MaskId mask, View view);

/// The register of the value analysis that holds a scalar register's number; nothing for EXEC, SCC
/// and what has no number.
std::optional<assembly::Register> number_register(assembly::Register reg);

/// One register of an operand, the first or a later one: "v4", "s[2:3]", "vcc", "a1", "m0".
std::optional<assembly::Register> register_in(std::string_view text, int word = 0);
/// "-1", "0x3ff", "64". Nothing for others, numbers with a fraction among them.
std::optional<std::int64_t> integer_in(std::string_view text);
/// Text of an operand; empty where there is none.
std::string_view text_of_operand(const assembly::Instruction& instruction, std::size_t index);
/// What the disassembler appends to the last operand: 4 of "v1, v2 offset:4"; nothing: it does not
/// occur.
std::optional<std::int64_t> field_of(const assembly::Instruction& instruction,
                                     std::string_view name);
/// The operand without what is appended to it: "v2" of "v2 offset:4".
std::string_view without_fields(std::string_view text);

/// "v_add_u32" of "v_add_u32_e32".
std::string_view plain_name(std::string_view mnemonic);

} // namespace warpbound::analyzer

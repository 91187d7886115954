#pragma once
/// \file
/// Syntactic queries of instructions and operands, shared by the transfer functions.

#include "analyzer/value/predicate.hpp"
#include "assembly/isa/program.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

constexpr bool is_predicate(assembly::RegisterFile file) {
    return file == assembly::RegisterFile::Predicate ||
           file == assembly::RegisterFile::UniformPredicate;
}

/// Nothing when the operand is no predicate.
const assembly::RegisterOperand* as_predicate(const assembly::Operand& operand);
/// No suffix other than `allowed` occurs.
bool only_suffix(const std::vector<std::string>& suffixes, std::string_view allowed);
/// No modifier other than the allowed ones occurs.
bool only_modifiers(const assembly::Instruction& instruction,
                    std::initializer_list<std::string_view> allowed);
/// The comparator of ISETP or UISETP; nothing for a form that this version does not model. `logic`:
/// a modifier that is allowed beside AND and OR, for how the result is combined.
std::optional<Comparator> comparator_of(const assembly::Instruction& instruction,
                                        std::string_view logic = "AND");
/// The comparison of upper words, of which the last operand is that of the lower ones:
/// ISETP.GE.U32.AND.EX P0, PT, R13, UR5, PT, P0.
bool is_extended_comparison(const assembly::Instruction& instruction);
/// No register is added to the offset, and the bank is a number; RZ and URZ add nothing.
bool is_one_word(const assembly::ConstantOperand& constant);
/// The number that a move through the half-precision unit writes: of zeros multiplied, plus two
/// halves, as in HFMA2.MMA R4, -RZ, RZ, 0, 2.384185791015625e-07, which is 4. Nothing for others.
std::optional<std::uint32_t> moved_halves(const assembly::Instruction& instruction);
/// The operand as a 32-bit number, without its sign or inversion modifiers.
std::optional<std::uint32_t> value_of(const assembly::ImmediateOperand& immediate);

} // namespace warpbound::analyzer

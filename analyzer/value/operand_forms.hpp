#pragma once
/// \file
/// Syntactic queries of instructions and operands, shared by the transfer functions.

#include "analyzer/value/predicate.hpp"
#include "analyzer/value/symbols.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
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
/// LEA.HI R0, -R1, ..: the upper word of a pair that is negated, which is no function of the
/// negated lower word.
bool negates_pair(const assembly::Instruction& lea);
/// No register is added to the offset, and the bank is a number; RZ and URZ add nothing.
bool is_one_word(const assembly::ConstantOperand& constant);
/// The number that a move through the half-precision unit writes: of zeros multiplied, plus two
/// halves, as in HFMA2.MMA R4, -RZ, RZ, 0, 2.384185791015625e-07, which is 4. Nothing for others.
std::optional<std::uint32_t> moved_halves(const assembly::Instruction& instruction);
/// The word of a constant bank, or the number in its place, that LDC, ULDC or LDCU loads into
/// `written`: of LDC.64 R6, c[0x0][0x220] for R7 that at 0x224. `with_parameters` gives a load of
/// several words an operand for each. Nothing for other instructions and widths, and where
/// registers are added.
std::optional<assembly::Operand> loaded_word(const assembly::Instruction& instruction,
                                             assembly::Register written);
/// The number of the launch that S2R or S2UR reads. Nothing of others, and where a register of the
/// warp gets the number of one lane: of which is not known.
std::optional<Geometry> geometry_read(const assembly::Instruction& instruction);
/// How many words LDC, ULDC or LDCU loads; 0 for other instructions and widths.
std::size_t loaded_words(const assembly::Instruction& instruction);
/// The operand as a 32-bit number, without its sign or inversion modifiers.
std::optional<std::uint32_t> value_of(const assembly::ImmediateOperand& immediate);

} // namespace warpbound::analyzer

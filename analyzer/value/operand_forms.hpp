#pragma once
/// \file
/// How instructions are written: what the readers of their meaning ask of the text.

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
/// There are no others.
bool plain_suffixes(const std::vector<std::string>& suffixes, std::string_view allowed);
/// There are no others.
bool only_modifiers(const assembly::Instruction& instruction,
                    std::initializer_list<std::string_view> allowed);
/// Of ISETP and UISETP; nothing when it has a form that this version does not understand.
std::optional<Comparator> comparator_of(const assembly::Instruction& instruction);
/// The value of the operand, without decorations, as one of 32 bits.
std::optional<std::uint32_t> value_of(const assembly::ImmediateOperand& immediate);

} // namespace warpbound::analyzer
